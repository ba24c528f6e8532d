package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.task.SubmitTaskCommand;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitGate;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.Submission;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A platform without a trustworthy answer: the command stays, is sent again under its key, and leads to one task. */
class HttpFaultsIT extends SendingTest {
    /** One second at the least, by the database's clock; ten milliseconds for the difference between two clocks. */
    private static final long BACK_OFF_NANOS = 990_000_000;

    static Stream<Arguments> faults() {
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
                Arguments.of("half of the JSON as the whole body", WrongAnswer.truncated(), true),
                Arguments.of("large body", WrongAnswer.oversize(1_000_000), true),
                Arguments.of("no content", WrongAnswer.noContent(), true),
                Arguments.of("redirect", WrongAnswer.redirect(URI.create("http://127.0.0.1:9/")), true),
                Arguments.of("no task id", WrongAnswer.withoutField("task_id"), true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void unconfirmed(String name, Fault fault, boolean accepted) throws SQLException {
        String id = enqueue(1).get(0);
        simulator.faults().next(fault);
        assertUnconfirmed(id, send());

        OutboxRows.makeDue(database, id);
        assertAcceptedAtTheSecondSend(id, send(), accepted);
    }

    /** One delivery at a time, so that the n-th command is the n-th to be submitted and meets the n-th fault. */
    @Test
    void theRunningSenderWaitsTheRealBackOffAndSendsAgain() throws Exception {
        List<Arguments> all = faults().toList();
        List<String> ids = enqueue(all.size());
        all.forEach(one -> simulator.faults().next((Fault) one.get()[1]));
        Map<String, List<Long>> times = new ConcurrentHashMap<>();
        RunningSender run = start(
                sender(), timed(times), RunOptions.builder().concurrency(1).build());
        awaitState(OutboxState.ACCEPTED, ids.size());
        run.stopWell();

        for (int i = 0; i < ids.size(); i++) {
            boolean accepted = (boolean) all.get(i).get()[2];
            assertAcceptedAtTheSecondSend(ids.get(i), row(ids.get(i)), accepted);
            List<Long> sent = times.get("outbox-task-" + ids.get(i));
            assertTrue(sent.get(1) - sent.get(0) >= BACK_OFF_NANOS, sent.toString());
        }
        assertAllAcceptedWithOneTaskEach(ids);
    }

    /** The platform, with the times at which each key was submitted. */
    private TaskPlatform timed(Map<String, List<Long>> times) {
        return (TaskPlatform) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {TaskPlatform.class}, (proxy, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof SubmitTaskCommand command) {
                        times.computeIfAbsent(command.submissionKey(), key -> new CopyOnWriteArrayList<>())
                                .add(System.nanoTime());
                    }
                    try {
                        return method.invoke(platform, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest(name = "accepted before: {0}")
    @ValueSource(booleans = {false, true})
    void aConnectionThatIsReset(boolean afterwards) throws SQLException {
        try (OrbitGate gate = OrbitGate.before(simulator)) {
            platform = platformAt(gate.url());
            String id = enqueue(1).get(0);
            if (afterwards) {
                gate.resetAfterSubmission();
            } else {
                gate.resetBeforeSubmission();
            }
            assertUnconfirmed(id, send());
            assertEquals(0, gate.remaining());
            assertEquals(afterwards ? 1 : 0, simulator.tasks().size());

            OutboxRows.makeDue(database, id);
            OutboxRecord again = send();
            assertEquals(OutboxState.ACCEPTED, again.state());
            assertEquals(afterwards, isDeduplicated(again));
            assertAllAcceptedWithOneTaskEach(List.of(id));
        }
    }

    @Test
    void whileEveryConnectionIsResetNothingIsLostAndTheRunGoesOn() throws Exception {
        try (OrbitGate gate = OrbitGate.before(simulator)) {
            platform = platformAt(gate.url());
            gate.shut();
            List<String> ids = enqueue(5);
            RunningSender run = start(sender(), QUICK);
            until(
                    "not every row was tried",
                    () -> database.value("SELECT COUNT(*) FROM sender_outbox WHERE result_code = 'UNCONFIRMED'")
                            .equals("5"));
            assertEquals(0, simulator.requests(OrbitCall.GET_QUEUE) + simulator.requests(OrbitCall.SUBMIT));
            gate.open();
            awaitState(OutboxState.ACCEPTED, 5);
            run.stopWell();
            assertAllAcceptedWithOneTaskEach(ids);
        }
    }

    @Test
    void nobodyAtTheAddressIsUnconfirmed() throws SQLException {
        simulator.close();
        String id = enqueue(1).get(0);
        assertUnconfirmed(id, send());
    }

    static Stream<Arguments> slowAnswers() {
        CountDownLatch never = new CountDownLatch(1);
        return Stream.of(
                Arguments.of("no head", Fault.acceptThenWait(never)),
                Arguments.of("a body that stalls", Fault.acceptThenStallBody(never)),
                Arguments.of("a body that drips", Fault.acceptThenDrip(Duration.ofMillis(100))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("slowAnswers")
    void anAnswerSlowerThanItsTimeIsCutAtTheDeadlineAndThePlatformHasTheTask(String name, Fault fault)
            throws SQLException {
        String id = enqueue(1).get(0);
        database.update("UPDATE sender_outbox SET send_deadline_at = UTC_TIMESTAMP(6) + INTERVAL 2 SECOND");
        simulator.faults().next(fault);
        long start = System.nanoTime();
        OutboxRecord row = send();
        Duration took = Duration.ofNanos(System.nanoTime() - start);

        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(ResultCode.UNCONFIRMED, row.resultCode());
        assertTrue(took.compareTo(Duration.ofSeconds(1)) > 0, took.toString());
        assertTrue(took.compareTo(Duration.ofSeconds(6)) < 0, took.toString());

        database.update("UPDATE sender_outbox SET send_deadline_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR");
        OutboxRows.makeDue(database, id);
        assertAcceptedAtTheSecondSend(id, send(), true);
    }

    @Test
    void anEndlessBodyIsCutOnceItIsTooLargeAndNotAtTheEndOfItsTime() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        String id = enqueue(1).get(0);
        simulator.faults().next(Fault.acceptThenEndlessBody(gone));
        long start = System.nanoTime();
        assertUnconfirmed(id, send());
        gone.await();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(Duration.ofSeconds(8)) < 0, took.toString());

        OutboxRows.makeDue(database, id);
        assertAcceptedAtTheSecondSend(id, send(), true);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void noRedirectIsFollowed(int status) throws SQLException {
        try (OrbitSimulator elsewhere = OrbitSimulator.start()) {
            elsewhere.addCredential(credentials, SENDING);
            String id = enqueue(1).get(0);
            simulator.faults().next(WrongAnswer.redirect(status, elsewhere.url().resolve("/v1/tasks")));
            assertUnconfirmed(id, send());
            OutboxRows.makeDue(database, id);
            assertAcceptedAtTheSecondSend(id, send(), true);
            assertEquals(List.of(), elsewhere.submissions());
            assertEquals(0, elsewhere.requests(OrbitCall.GET_QUEUE));
        }
    }

    private OutboxRecord send() {
        return sender().sendOnce(platform).orElseThrow();
    }

    private void assertUnconfirmed(String id, OutboxRecord row) {
        assertEquals(row, row(id));
        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(ResultCode.UNCONFIRMED, row.resultCode());
        assertNull(row.receiptJson());
        long wait = Duration.between(row.updatedAt(), row.dueAt()).toMillis();
        assertTrue(wait >= 1_000 && wait <= 1_999, wait + " ms");
    }

    /** Two submissions with the same bytes under the same key, and one task. */
    private void assertAcceptedAtTheSecondSend(String id, OutboxRecord row, boolean deduplicated) throws SQLException {
        List<String> sent = simulator.submissions().stream()
                .filter(submission -> ("outbox-task-" + id).equals(submission.submissionKey()))
                .map(Submission::document)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .toList();
        String stored = database.value("SELECT request_json FROM sender_outbox WHERE operation_id = '" + id + "'");
        assertEquals(List.of(stored, stored), sent);
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(2, row.sendCount());
        assertEquals(2, row.leaseEpoch());
        assertEquals(deduplicated, isDeduplicated(row));
        assertEquals(
                1,
                simulator.tasks().stream()
                        .filter(task -> task.taskId().equals(row.taskId()))
                        .count());
    }
}
