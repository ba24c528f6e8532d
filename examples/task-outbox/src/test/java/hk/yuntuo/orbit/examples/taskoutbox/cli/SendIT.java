package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.SimulatedTask;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SendIT {
    private static final String REF = "objects/input.txt";

    private final String id = OperationId.next().value();
    private OrbitSimulator orbit = OrbitSimulator.start();
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
    void submitsWhatIsDueAndStopsInOrderOnSigterm() throws Exception {
        enqueue();
        try (Cli send = send()) {
            schema.await("ACCEPTED", state());
            Cli.Ended ended = send.terminate();
            ended.assertOk("sender_started=true", "sender_stopped=true");
        }
        SimulatedTask task = orbit.tasks().get(0);
        Cli.run(schema.local(), "status", id)
                .assertOk("operation=" + id + " state=ACCEPTED sends=1 code=ACCEPTED task=" + task.taskId());
        assertEquals(List.of(REF + " " + task.taskId()), schema.query("SELECT source_ref, task_id FROM sender_jobs"));
        assertTrue(task.documentText().contains("{\"source_ref\":\"" + REF + "\",\"exact_integer\":9007199254740993}"));
        Cli.run(schema.local(), "enqueue", id, REF).assertOk("local_committed=true duplicate=true");
    }

    @Test
    void stopsOnSigintToo() throws Exception {
        try (Cli send = send()) {
            send.interrupt().assertOk("sender_started=true", "sender_stopped=true");
        }
    }

    @Test
    void aDeliveryInFlightEndsBeforeTheProcessDoes() throws Exception {
        CountDownLatch accepted = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        orbit.onAccepted(submission -> accepted.countDown());
        orbit.faults().next(Fault.acceptThenWait(release));
        enqueue();
        try (Cli send = send()) {
            assertTrue(accepted.await(30, TimeUnit.SECONDS));
            send.signalTerm();
            release.countDown();
            send.end().assertOk("sender_started=true", "sender_stopped=true");
        }
        assertEquals(List.of("ACCEPTED"), schema.query(state()));
    }

    @Test
    void goesOnAfterAStorageError() throws Exception {
        enqueue();
        schema.execute("RENAME TABLE sender_outbox TO away");
        try (Cli send = send()) {
            send.err().await(".* WARN .*outbox\\.claim\\.failed.*");
            schema.execute("RENAME TABLE away TO sender_outbox");
            schema.await("ACCEPTED", state());
            Cli.Ended ended = send.terminate();
            assertEquals(0, ended.code(), ended::toString);
            assertEquals(List.of("sender_started=true", "sender_stopped=true"), ended.out());
        }
    }

    @Test
    void aPlatformThatIsDownGetsTheOperationWhenItIsBack() throws Exception {
        URI url = orbit.url();
        orbit.close();
        enqueue();
        try (Cli send = Cli.start(schema.with(url, credentials), "send")) {
            schema.await("PENDING UNCONFIRMED", "SELECT state, result_code FROM sender_outbox WHERE send_count > 0");
            orbit = OrbitSimulator.start(url.getPort());
            orbit.addCredential(credentials, OrbitScope.values());
            schema.await("ACCEPTED", state());
            Cli.Ended ended = send.terminate();
            ended.assertOk("sender_started=true", "sender_stopped=true");
        }
        assertEquals(1, orbit.tasks().size());
    }

    @Test
    void aRefusedCredentialIsForAPersonAndTheTokenIsShownNowhere() throws Exception {
        orbit.revoke(credentials);
        enqueue();
        try (Cli send = send()) {
            schema.await("REVIEW", state());
            Cli.Ended ended = send.terminate();
            assertEquals(0, ended.code());
            assertTrue(!ended.toString().contains(credentials.token()), ended::toString);
        }
        Cli.run(schema.local(), "status", id)
                .assertOk("operation=" + id + " state=REVIEW sends=1 code=AUTHORIZATION task=-");
    }

    @Test
    void aCredentialIsNeeded() throws Exception {
        Cli.run(schema.local(), "send").assertFailed(ExitStatus.INVALID_INPUT, "ORBIT_URL must be set");
        Cli.run(schema.local(), "demo").assertFailed(ExitStatus.INVALID_INPUT, "ORBIT_URL must be set");
    }

    private void enqueue() throws Exception {
        Cli.run(schema.local(), "enqueue", id, REF).assertOk("local_committed=true duplicate=false");
    }

    private Cli send() throws Exception {
        Map<String, String> environment = schema.with(orbit.url(), credentials);
        Cli send = Cli.start(environment, "send");
        send.out().await("sender_started=true");
        return send;
    }

    private String state() {
        return "SELECT state FROM sender_outbox WHERE operation_id = '" + id + "'";
    }
}
