package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitGate;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A hundred claims, a day, and the waits in between. */
class BudgetIT extends SendingTest {
    private OutboxSender sender;
    private String id;

    @BeforeEach
    void oneDueRow() throws SQLException {
        sender = sender();
        id = enqueue(1).get(0);
    }

    @Test
    void aHundredSendsWithoutAnAnswerEachAfterALongerWaitAndNoMore() throws SQLException {
        for (int i = 1; i < 100; i++) {
            simulator.faults().next(Fault.status(500));
            OutboxRecord row = send();
            assertEquals(OutboxState.PENDING, row.state());
            assertEquals(i, row.sendCount());
            int seconds = i > 6 ? 60 : 1 << (i - 1);
            assertWait(row, seconds * 1_000, seconds * 1_000 + 999);
            OutboxRows.makeDue(database, id);
        }
        simulator.faults().next(Fault.status(500));
        assertReviewed(ResultCode.SEND_BUDGET_EXHAUSTED, 100, send());
        assertEquals(100, simulator.submissions().size());
        assertTrue(sender.sendOnce(platform).isEmpty());
    }

    @Test
    void theHundredthSendWhoseReplyIsLostGoesToReviewAtOnceAlthoughThePlatformHasTheTask() throws SQLException {
        claimedBefore(99);
        simulator.faults().next(Fault.acceptThenDrop());
        assertReviewed(ResultCode.SEND_BUDGET_EXHAUSTED, 100, send());
        assertEquals(1, simulator.tasks().size());
    }

    @Test
    void theHundredthSendThatIsToldToWaitGoesToReviewAtOnce() throws SQLException {
        claimedBefore(99);
        simulator.faults().next(Fault.retryAfter(429, "1"));
        assertReviewed(ResultCode.SEND_BUDGET_EXHAUSTED, 100, send());
    }

    @Test
    void theHundredthSendMayStillBeAccepted() throws SQLException {
        claimedBefore(99);
        assertEquals(OutboxState.ACCEPTED, send().state());
    }

    @Test
    void aHundredthClaimWhoseCallbackFailsIsReviewedByTheNextAlthoughThePlatformHasTheTask() throws SQLException {
        claimedBefore(99);
        assertThrows(
                AcceptanceException.class,
                () -> sender(factory, Poison.RUNTIME_EXCEPTION).sendOnce(platform));
        assertEquals(OutboxState.SENDING, row(id).state());
        expireLeases();
        assertReviewed(ResultCode.SEND_BUDGET_EXHAUSTED, 100, send());
        assertEquals(1, simulator.submissions().size());
        assertEquals(1, simulator.tasks().size());
    }

    @Test
    void anAbandonedHundredthClaimIsReviewedByTheNext() throws SQLException {
        database.update("UPDATE sender_outbox SET state = 'SENDING', send_count = 100, lease_epoch = 100");
        assertReviewed(ResultCode.SEND_BUDGET_EXHAUSTED, 100, send());
        assertEquals(0, simulator.submissions().size());
    }

    static Stream<Arguments> retryAfter() {
        String now = "Date: Mon, 30 Nov 2026 08:00:00 GMT\r\n";
        return Stream.of(
                Arguments.of("429", "", 1_000, 1_999),
                Arguments.of("429", "Retry-After: 0\r\n", 1_000, 1_999),
                Arguments.of("429", "Retry-After: 7\r\n", 7_000, 7_000),
                Arguments.of("503", "Retry-After: 9\r\n", 9_000, 9_000),
                Arguments.of("429", "Retry-After: garbage\r\n", 1_000, 1_999),
                Arguments.of("429", "Retry-After: -5\r\n", 1_000, 1_999),
                Arguments.of("429", "Retry-After: 3600\r\n", 3_600_000, 3_600_000),
                Arguments.of("429", "Retry-After: 999999999999999999999\r\n", 3_600_000, 3_600_000),
                Arguments.of("429", "Retry-After: 7\r\nRetry-After: 7\r\n", 1_000, 1_999),
                Arguments.of("429", now + "Retry-After: Mon, 30 Nov 2026 08:00:09 GMT\r\n", 9_000, 9_000),
                Arguments.of("429", now + "Retry-After: Mon, 30 Nov 2026 07:00:00 GMT\r\n", 1_000, 1_999),
                Arguments.of("429", now + "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n", 3_600_000, 3_600_000),
                Arguments.of("429", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n", 1_000, 1_999),
                Arguments.of("429", "Date: today\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n", 1_000, 1_999),
                Arguments.of("429", now + "Retry-After: Mon Nov 30 08:00:09 2026\r\n", 1_000, 1_999));
    }

    @ParameterizedTest
    @MethodSource
    void retryAfter(String status, String headers, int least, int most) {
        try (OrbitGate gate = OrbitGate.before(simulator)) {
            platform = platformAt(gate.url());
            gate.answerSubmission("HTTP/1.1 " + status + " No\r\n" + headers + "Content-Length: 0\r\n\r\n");
            OutboxRecord row = send();

            assertEquals(0, gate.remaining());
            assertEquals(OutboxState.PENDING, row.state());
            assertEquals(ResultCode.BACKPRESSURE, row.resultCode());
            assertWait(row, least, most);
            assertEquals(0, simulator.tasks().size());
        }
    }

    @Test
    void aDayAfterItsEnqueueARowIsReviewedAndNotSent() throws SQLException {
        enqueuedEarlierBy("24 HOUR");
        OutboxRecord row = send();
        assertReviewed(ResultCode.SEND_DEADLINE, 0, row);
        assertEquals(Duration.ofHours(24), Duration.between(row.createdAt(), row.sendDeadlineAt()));
        assertEquals(0, simulator.submissions().size());
    }

    /** The rest of the day, three seconds, passes by itself. */
    @Test
    void aRetryIsDueAtTheDeadlineAtTheLatestWhereItIsReviewedAndNotSent() throws Exception {
        enqueuedEarlierBy("24 HOUR + INTERVAL 3 SECOND");
        simulator.faults().next(Fault.retryAfter(429, "600"));
        OutboxRecord waiting = send();
        assertEquals(OutboxState.PENDING, waiting.state());
        assertEquals(waiting.sendDeadlineAt(), waiting.dueAt());

        RunningSender run = start(sender, QUICK);
        awaitState(OutboxState.REVIEW, 1);
        run.stopWell();
        OutboxRecord row = row(id);
        assertReviewed(ResultCode.SEND_DEADLINE, 1, row);
        assertTrue(!row.settledAt().isBefore(row.sendDeadlineAt()), row.toString());
        assertEquals(1, simulator.submissions().size());
    }

    @Test
    void aDeadlineThatPassesDuringTheExchangeEndsItAndTheRowIsReviewed() throws Exception {
        enqueuedEarlierBy("24 HOUR + INTERVAL 3 SECOND");
        simulator.faults().next(Fault.acceptThenWait(new CountDownLatch(1)));
        RunningSender run = start(sender, QUICK);
        awaitState(OutboxState.REVIEW, 1);
        run.stopWell();
        OutboxRecord row = row(id);
        assertReviewed(ResultCode.SEND_DEADLINE, 1, row);
        assertTrue(row.settledAt().isBefore(row.sendDeadlineAt().plusSeconds(6)), row.toString());
        assertEquals(1, simulator.submissions().size());
    }

    @Test
    void aReceiptThatIsRecordedAfterTheDeadlineCounts() {
        simulator.onAccepted(submission -> {
            try {
                enqueuedEarlierBy("25 HOUR");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        OutboxRecord row = send();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertTrue(row.settledAt().isAfter(row.sendDeadlineAt()), row.toString());
    }

    @Test
    void oneSubmissionMayTakeTenSecondsAndNeverOutlivesTheDeadline() throws SQLException {
        StubPlatform observed = StubPlatform.accepting();
        sender.sendOnce(observed);
        assertTrue(observed.timeouts().get(0).compareTo(Duration.ofSeconds(10)) <= 0);
        assertTrue(observed.timeouts().get(0).compareTo(Duration.ofSeconds(9)) > 0);

        enqueue(1);
        database.update("UPDATE sender_outbox SET send_deadline_at = UTC_TIMESTAMP(6) + INTERVAL 3 SECOND"
                + " WHERE state = 'PENDING'");
        sender.sendOnce(observed);
        assertTrue(observed.timeouts().get(1).compareTo(Duration.ofSeconds(3)) <= 0);
    }

    private OutboxRecord send() {
        return sender.sendOnce(platform).orElseThrow();
    }

    private void claimedBefore(int times) throws SQLException {
        database.update("UPDATE sender_outbox SET send_count = " + times + ", lease_epoch = " + times);
    }

    private void enqueuedEarlierBy(String interval) throws SQLException {
        database.update("UPDATE sender_outbox SET created_at = UTC_TIMESTAMP(6) - INTERVAL " + interval
                + ", send_deadline_at = created_at + INTERVAL 24 HOUR");
    }

    private void assertReviewed(ResultCode code, int sends, OutboxRecord row) {
        assertEquals(row, row(id));
        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(code, row.resultCode());
        assertEquals(sends, row.sendCount());
        assertNotNull(row.settledAt());
        assertTrue(sender.sendOnce(platform).isEmpty());
    }

    private static void assertWait(OutboxRecord row, int leastMillis, int mostMillis) {
        Duration wait = Duration.between(row.updatedAt(), row.dueAt());
        assertTrue(wait.toMillis() >= leastMillis && wait.toMillis() <= mostMillis, wait.toString());
    }
}
