package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.SimulatedTask;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemoIT {
    private static final String ID = "demo_operation=[0-9a-f]{32}";
    private static final String TRUTHS = "local_duplicate=true accepted_once=true execution_success_not_implied=true";

    private final OrbitSimulator orbit = OrbitSimulator.start();
    private final OrbitCredentials credentials =
            orbit.issueCredential(SenderSchema.NAMESPACE, SenderSchema.QUEUE, OrbitScope.values());
    private SenderSchema schema;

    @BeforeEach
    void create() throws Exception {
        schema = SenderSchema.initialised();
    }

    @AfterEach
    void drop() {
        orbit.close();
        schema.close();
    }

    @Test
    void printsWhatIsTrue() throws Exception {
        Cli.Ended ended = demo();
        SimulatedTask task = orbit.tasks().get(0);
        String id = id(ended);
        ended.assertOk(
                "demo_operation=" + id,
                "operation=" + id + " state=ACCEPTED sends=1 code=ACCEPTED task=" + task.taskId(),
                TRUTHS);
        assertEquals(1, orbit.tasks().size());
        assertEquals("cancelled", task.status());
        assertEquals("outbox-task-" + id, task.submissionKey());
        assertTrue(task.documentText().contains("\"exact_integer\":9007199254740993}"), task.documentText());
        assertEquals(
                List.of(id + " objects/input.txt " + task.taskId()),
                schema.query("SELECT operation_id, source_ref, task_id FROM sender_jobs"));
        assertEquals(
                List.of(id + " ACCEPTED " + task.taskId() + " 1"),
                schema.query("SELECT operation_id, state, task_id, send_count FROM sender_outbox"));
    }

    @Test
    void eachIsAnotherOperation() throws Exception {
        String first = id(demo());
        assertTrue(!first.equals(id(demo())));
        assertEquals(2, orbit.tasks().size());
    }

    @Test
    void aLostReplyTakesASecondSendAndMakesNoSecondTask() throws Exception {
        orbit.faults().next(OrbitCall.SUBMIT, Fault.acceptThenDrop());
        Cli.Ended ended = demo();
        ended.assertOk(
                ended.out().get(0),
                "operation=" + id(ended) + " state=ACCEPTED sends=2 code=ACCEPTED task="
                        + orbit.tasks().get(0).taskId(),
                TRUTHS);
        assertEquals(1, orbit.tasks().size());
    }

    @Test
    void aReviewIsSaidWithTheIdToLookUp() throws Exception {
        orbit.faults().next(OrbitCall.SUBMIT, Fault.status(422));
        failed(demo(), ExitStatus.REVIEW, "The operation went to REVIEW with HTTP_REJECTED\\.");
    }

    @Test
    void aPlatformThatForbidsTheCancellationIsSaidWithTheIdToLookUp() throws Exception {
        orbit.addCredential(credentials, OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT, OrbitScope.TASKS_READ);
        failed(demo(), ExitStatus.PLATFORM, ".*");
    }

    @Test
    void aPlatformThatDoesNotAnswerEndsTheDemoInTime() throws Exception {
        orbit.faults()
                .next(
                        OrbitCall.SUBMIT,
                        Fault.waitBeforeAccepting(Duration.ofSeconds(60)),
                        Fault.waitBeforeAccepting(Duration.ofSeconds(60)));
        long start = System.nanoTime();
        failed(demo(), ExitStatus.TIME_LIMIT, "The demo did not end within 20 s\\.");
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(Duration.ofSeconds(22)) < 0, took::toString);
    }

    @Test
    void withoutTablesTheIdIsPrintedAllTheSame() throws Exception {
        try (SenderSchema empty = SenderSchema.empty()) {
            failed(Cli.run(empty.with(orbit.url(), credentials), "demo"), ExitStatus.STORAGE, ".*MySQL error 1146.*");
        }
    }

    @Test
    void theWholeStackRunsByItselfAndLeavesNothing() throws Exception {
        Cli.Ended ended = Cli.run(configured(), "demo-stack");
        assertEquals(0, ended.code(), ended::toString);
        List<String> out = ended.out();
        assertEquals(4, out.size(), out::toString);
        assertEquals("sender_schema_initialized=true foreign_keys=0", out.get(0));
        assertTrue(out.get(1).matches(ID), out.get(1));
        String id = out.get(1).substring("demo_operation=".length());
        assertTrue(
                out.get(2).matches("operation=" + id + " state=ACCEPTED sends=1 code=ACCEPTED task=\\S+"), out.get(2));
        assertEquals(TRUTHS, out.get(3));
        assertEquals(
                List.of(),
                schema.query(
                        "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'orbit\\_sender\\_demo\\_%'"));
    }

    /** The server of this test, so that a second one need not be started, and what it leaves can be seen. */
    private Map<String, String> configured() {
        DatabaseAddress address = schema.address();
        return Map.of(
                "OUTBOX_TEST_JDBC_URL", address.url(),
                "OUTBOX_TEST_JDBC_USER", address.user(),
                "OUTBOX_TEST_JDBC_PASSWORD", address.password());
    }

    private Cli.Ended demo() throws Exception {
        return Cli.run(schema.with(orbit.url(), credentials), "demo");
    }

    private static String id(Cli.Ended ended) {
        assertTrue(ended.out().get(0).matches(ID), ended::toString);
        return ended.out().get(0).substring("demo_operation=".length());
    }

    private void failed(Cli.Ended ended, ExitStatus status, String reason) {
        assertEquals(1, ended.out().size(), ended::toString);
        String last = ended.err().get(ended.err().size() - 1);
        assertTrue(
                last.matches("error=" + status.word() + " " + reason
                        + " Keep the operation id and look it up: sender status " + id(ended) + " .*"),
                last);
        assertEquals(status.code(), ended.code());
        assertTrue(!ended.toString().contains(credentials.token()), ended::toString);
    }
}
