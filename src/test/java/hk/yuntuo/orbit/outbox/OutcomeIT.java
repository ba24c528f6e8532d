package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import jakarta.persistence.EntityManagerFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the table of outcomes, driven through real HTTP. */
class OutcomeIT {
    private static final OrbitScope[] SENDING = {OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT};
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private OrbitSimulator simulator;
    private OrbitCredentials credentials;
    private TaskPlatform platform;
    private OutboxSender sender;
    private String id;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("outcome");
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void oneDueRow() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        simulator = OrbitSimulator.start();
        credentials = simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, SENDING);
        platform = platform(credentials);
        sender = sender();
        id = OutboxRows.enqueue(outbox, 1).get(0);
    }

    @AfterEach
    void stop() {
        simulator.close();
    }

    @Test
    void anAcceptanceIsRecordedWithItsReceipt() {
        OutboxRecord row = send();

        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(ResultCode.ACCEPTED, row.resultCode());
        assertEquals(simulator.tasks().get(0).taskId(), row.taskId());
        assertTrue(row.receiptJson().contains(row.taskId()), row.receiptJson());
        assertEquals(1, row.sendCount());
        assertEquals(1, row.leaseEpoch());
        assertNull(row.dueAt());
        assertEquals(row.updatedAt(), row.settledAt());
        assertEquals(row, outbox.status(id).orElseThrow());
        assertTrue(sender.sendOnce(platform).isEmpty());
        assertEquals(1, simulator.submissions().size());
    }

    static Stream<Arguments> unconfirmed() {
        return Stream.of(
                Arguments.of("dropped before acceptance", Fault.dropBeforeAccepting(), false),
                Arguments.of("accepted, reply dropped", Fault.acceptThenDrop(), true),
                Arguments.of("half a body", Fault.halfBodyBeforeAccepting(), false),
                Arguments.of("accepted, half a body", Fault.acceptThenHalfBody(), true),
                Arguments.of("500", Fault.status(500), false),
                Arguments.of("accepted, then 502", Fault.acceptThenStatus(502), true),
                Arguments.of("503 without Retry-After", Fault.status(503), false),
                Arguments.of("garbage", WrongAnswer.garbage(), true),
                Arguments.of("wrong content type", WrongAnswer.contentType(), true),
                Arguments.of("endless body", WrongAnswer.oversize(1_000_000), true),
                Arguments.of("no content", WrongAnswer.noContent(), true),
                Arguments.of("redirect", WrongAnswer.redirect(URI.create("http://127.0.0.1:9/")), true),
                Arguments.of("no task id", WrongAnswer.withoutField("task_id"), true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void unconfirmed(String name, Fault fault, boolean accepted) throws SQLException {
        simulator.faults().next(fault);
        OutboxRecord row = send();

        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(ResultCode.UNCONFIRMED, row.resultCode());
        assertWait(row, 1_000, 1_999);
        assertNull(row.receiptJson());

        OutboxRows.makeDue(database, id);
        OutboxRecord again = send();
        assertEquals(OutboxState.ACCEPTED, again.state());
        assertEquals(2, again.sendCount());
        assertEquals(1, simulator.tasks().size());
        assertEquals(accepted, again.receiptJson().replace(" ", "").contains("\"deduplicated\":true"), name);
    }

    static Stream<Arguments> reviewed() {
        return Stream.of(
                Arguments.of(Fault.status(401), ResultCode.AUTHORIZATION),
                Arguments.of(Fault.status(403), ResultCode.AUTHORIZATION),
                Arguments.of(Fault.status(409), ResultCode.IDEMPOTENCY_CONFLICT),
                Arguments.of(Fault.status(400), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(404), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(408), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(413), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(422), ResultCode.HTTP_REJECTED),
                Arguments.of(WrongAnswer.otherNamespace("ns-2"), ResultCode.INVALID_RECEIPT),
                Arguments.of(WrongAnswer.otherQueue("queue-2"), ResultCode.INVALID_RECEIPT),
                Arguments.of(WrongAnswer.otherKey("outbox-task-other"), ResultCode.INVALID_RECEIPT));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource
    void reviewed(Fault fault, ResultCode code) {
        simulator.faults().next(fault);
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(code, row.resultCode());
        assertNull(row.taskId());
        assertNull(row.dueAt());
        assertEquals(code == ResultCode.INVALID_RECEIPT, row.receiptJson() != null);
        assertTrue(sender.sendOnce(platform).isEmpty());
        assertEquals(row, outbox.status(id).orElseThrow());
    }

    static Stream<Arguments> backpressure() {
        return Stream.of(
                Arguments.of(Fault.status(429), 1_000, 1_999),
                Arguments.of(Fault.retryAfter(429, "0"), 1_000, 1_999),
                Arguments.of(Fault.retryAfter(429, "7"), 7_000, 7_000),
                Arguments.of(Fault.retryAfter(503, "9"), 9_000, 9_000),
                Arguments.of(Fault.retryAfter(429, "garbage"), 1_000, 1_999),
                Arguments.of(Fault.retryAfter(429, "-5"), 1_000, 1_999),
                Arguments.of(Fault.retryAfter(429, "999999999999999999999"), 3_600_000, 3_600_000));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void backpressure(Fault fault, int least, int most) throws SQLException {
        simulator.faults().next(fault);
        OutboxRecord row = send();

        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(ResultCode.BACKPRESSURE, row.resultCode());
        assertWait(row, least, most);
        assertEquals(0, simulator.tasks().size());
    }

    @Test
    void aScopeThatIsMissingIsAnAuthorizationReview() {
        platform = platform(simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, OrbitScope.QUEUES_READ));
        assertEquals(ResultCode.AUTHORIZATION, send().resultCode());
        assertEquals(0, simulator.tasks().size());
    }

    @Test
    void theKeyBoundToOtherContentAtThePlatformIsAConflict() throws SQLException {
        send();
        database.update("DELETE FROM sender_outbox");
        outbox.transactions().inTransaction(id, em -> outbox.enqueue(em, id, Requests.of("{\"other\":true}")));

        OutboxRecord row = send();
        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.IDEMPOTENCY_CONFLICT, row.resultCode());
        assertEquals(1, simulator.tasks().size());
    }

    @Test
    void aDocumentThatDoesNotMatchItsDigestIsNeverSent() throws SQLException {
        database.update("UPDATE sender_outbox SET request_json = REPLACE(request_json, '\"n\":0', '\"n\":1')");
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.INVALID_DOCUMENT, row.resultCode());
        assertEquals(0, simulator.submissions().size());
        assertEquals(0, simulator.requests(OrbitCall.GET_QUEUE));
    }

    @Test
    void aCredentialForAnotherNamespaceIsAMismatchAndNothingIsSent() {
        simulator.addQueue("ns-2", Requests.QUEUE);
        platform = platform(simulator.issueCredential("ns-2", Requests.QUEUE, SENDING));
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.TARGET_MISMATCH, row.resultCode());
        assertEquals(0, simulator.submissions().size());
    }

    @Test
    void theTargetIsRememberedForACredentialAndForgottenOnARefusal() {
        send();
        OutboxRows.enqueue(outbox, 1);
        send();
        assertEquals(1, simulator.requests(OrbitCall.GET_QUEUE));

        OutboxRows.enqueue(outbox, 1);
        simulator.faults().next(Fault.status(401));
        send();
        OutboxRows.enqueue(outbox, 1);
        send();
        assertEquals(2, simulator.requests(OrbitCall.GET_QUEUE));

        OutboxRows.enqueue(outbox, 1);
        platform = platform(simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, SENDING));
        send();
        assertEquals(3, simulator.requests(OrbitCall.GET_QUEUE));
    }

    @Test
    void theQueueCallFailsLikeTheSubmission() throws SQLException {
        for (Object[] cell : List.of(
                new Object[] {Fault.status(500), ResultCode.UNCONFIRMED},
                new Object[] {Fault.retryAfter(429, "3"), ResultCode.BACKPRESSURE},
                new Object[] {Fault.status(403), ResultCode.AUTHORIZATION},
                new Object[] {Fault.status(404), ResultCode.HTTP_REJECTED})) {
            database.update("DELETE FROM sender_outbox");
            id = OutboxRows.enqueue(outbox, 1).get(0);
            simulator.faults().next(OrbitCall.GET_QUEUE, (Fault) cell[0]);
            assertEquals(cell[1], send().resultCode());
        }
        assertEquals(0, simulator.submissions().size());
    }

    @Test
    void aPlatformThatDoesNotAnswerInTimeIsUnconfirmedAndHasTheTask() throws SQLException {
        database.update("UPDATE sender_outbox SET send_deadline_at = UTC_TIMESTAMP(6) + INTERVAL 3 SECOND");
        CountDownLatch release = new CountDownLatch(1);
        simulator.faults().next(Fault.acceptThenWait(release));
        long start = System.nanoTime();
        OutboxRecord row = send();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        release.countDown();

        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(ResultCode.UNCONFIRMED, row.resultCode());
        assertTrue(took.compareTo(Duration.ofMillis(3_800)) < 0, took.toString());
        assertTrue(took.compareTo(Duration.ofMillis(1_500)) > 0, took.toString());

        database.update("UPDATE sender_outbox SET send_deadline_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR");
        OutboxRows.makeDue(database, id);
        OutboxRecord again = send();
        assertEquals(OutboxState.ACCEPTED, again.state());
        assertTrue(again.receiptJson().replace(" ", "").contains("\"deduplicated\":true"), again.receiptJson());
        assertEquals(1, simulator.tasks().size());
    }

    @Test
    void nobodyAtTheAddressIsUnconfirmed() {
        simulator.close();
        OutboxRecord row = send();
        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(ResultCode.UNCONFIRMED, row.resultCode());
    }

    @Test
    void theHundredthUnansweredSendGoesToReviewAtOnce() throws SQLException {
        database.update("UPDATE sender_outbox SET send_count = 99, lease_epoch = 99");
        simulator.faults().next(Fault.acceptThenDrop());
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.SEND_BUDGET_EXHAUSTED, row.resultCode());
        assertEquals(100, row.sendCount());
    }

    @Test
    void theHundredthSendMayStillBeAccepted() throws SQLException {
        database.update("UPDATE sender_outbox SET send_count = 99, lease_epoch = 99");
        assertEquals(OutboxState.ACCEPTED, send().state());
    }

    @Test
    void anAbandonedHundredthClaimIsReviewedByTheNext() throws SQLException {
        database.update("UPDATE sender_outbox SET state = 'SENDING', send_count = 100, lease_epoch = 100");
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.SEND_BUDGET_EXHAUSTED, row.resultCode());
        assertEquals(0, simulator.submissions().size());
        assertEquals(row, outbox.status(id).orElseThrow());
    }

    @Test
    void pastItsDeadlineARowIsReviewedAndNotSent() throws SQLException {
        database.update("UPDATE sender_outbox SET created_at = created_at - INTERVAL 25 HOUR,"
                + " send_deadline_at = send_deadline_at - INTERVAL 25 HOUR");
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.SEND_DEADLINE, row.resultCode());
        assertEquals(0, row.sendCount());
        assertEquals(0, simulator.submissions().size());
        assertEquals(row, outbox.status(id).orElseThrow());
    }

    @Test
    void noRetryIsDueAfterTheDeadline() throws SQLException {
        database.update("UPDATE sender_outbox SET created_at = created_at - INTERVAL 24 HOUR + INTERVAL 1 MINUTE,"
                + " send_deadline_at = send_deadline_at - INTERVAL 24 HOUR + INTERVAL 1 MINUTE");
        simulator.faults().next(Fault.retryAfter(429, "600"));
        OutboxRecord row = send();

        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(row.sendDeadlineAt(), row.dueAt());
    }

    @Test
    void backOffDoublesToAMinute() throws SQLException {
        int[] seconds = {1, 2, 4, 8, 16, 32, 60, 60};
        for (int i = 0; i < seconds.length; i++) {
            simulator.faults().next(Fault.status(500));
            assertWait(send(), seconds[i] * 1_000, seconds[i] * 1_000 + 999);
            OutboxRows.makeDue(database, id);
        }
    }

    @Test
    void theSameBytesAreSentEachTimeUnderTheSameKey() throws SQLException {
        simulator.faults().next(Fault.acceptThenDrop(), Fault.status(500));
        send();
        OutboxRows.makeDue(database, id);
        send();
        OutboxRows.makeDue(database, id);
        assertEquals(OutboxState.ACCEPTED, send().state());

        String stored = database.value("SELECT request_json FROM sender_outbox");
        assertEquals(3, simulator.submissions().size());
        simulator.submissions().forEach(submission -> {
            assertEquals("outbox-task-" + id, submission.submissionKey());
            assertEquals(stored, new String(submission.document(), StandardCharsets.UTF_8));
        });
    }

    private OutboxRecord send() {
        return sender.sendOnce(platform).orElseThrow();
    }

    private OutboxSender sender() {
        return OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
    }

    private TaskPlatform platform(OrbitCredentials credential) {
        return HttpTaskPlatform.builder(simulator.url(), credential).build();
    }

    private static void assertWait(OutboxRecord row, int leastMillis, int mostMillis) {
        Duration wait = Duration.between(row.updatedAt(), row.dueAt());
        assertTrue(wait.toMillis() >= leastMillis && wait.toMillis() <= mostMillis, wait.toString());
    }
}
