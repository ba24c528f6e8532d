package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.Queue;
import hk.yuntuo.orbit.outbox.task.SubmitTaskCommand;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.Task;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Credentials that lack something, are for something else, end in mid-run or are replaced in mid-run. */
class CredentialFaultsIT extends SendingTest {
    /** One delivery at a time, so that what was submitted before the end of a credential is settled before it. */
    private static final RunOptions ONE_BY_ONE = RunOptions.builder()
            .pollInterval(Duration.ofMillis(20))
            .concurrency(1)
            .build();

    @TempDir
    private Path folder;

    @Test
    void aScopeThatIsMissingIsAnAuthorizationReview() throws SQLException {
        credentials = simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, OrbitScope.QUEUES_READ);
        enqueue(1);
        assertReviewed(ResultCode.AUTHORIZATION, send(sender()));
        assertEquals(0, simulator.tasks().size());
    }

    @Test
    void aCredentialForAnotherNamespaceIsAMismatchAndNothingIsSent() throws SQLException {
        simulator.addQueue("ns-2", Requests.QUEUE);
        credentials = simulator.issueCredential("ns-2", Requests.QUEUE, SENDING);
        enqueue(1);
        assertReviewed(ResultCode.TARGET_MISMATCH, send(sender()));
        assertEquals(0, simulator.submissions().size());
    }

    @Test
    void theTargetIsRememberedForACredentialAndForgottenOnARefusal() throws SQLException {
        OutboxSender sender = sender();
        enqueue(3);
        send(sender);
        send(sender);
        assertEquals(1, simulator.requests(OrbitCall.GET_QUEUE));

        simulator.faults().next(Fault.status(401));
        assertReviewed(ResultCode.AUTHORIZATION, send(sender));
        enqueue(2);
        send(sender);
        assertEquals(2, simulator.requests(OrbitCall.GET_QUEUE));

        credentials = simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, SENDING);
        assertEquals(OutboxState.ACCEPTED, send(sender).state());
        assertEquals(3, simulator.requests(OrbitCall.GET_QUEUE));
    }

    @Test
    void aCredentialThatEndsInMidRunSendsTheRestToReviewAndTheRunGoesOn() throws Exception {
        List<String> ids = enqueue(10);
        simulator.onAccepted(submission -> {
            if (submission.number() == 4) {
                simulator.revoke(credentials);
            }
        });
        RunningSender run = start(sender(), ONE_BY_ONE);
        awaitState(OutboxState.REVIEW, 6);
        assertEquals(4, count(OutboxState.ACCEPTED));
        for (String id : ids.subList(4, 10)) {
            assertReviewed(ResultCode.AUTHORIZATION, row(id));
        }

        simulator.addCredential(credentials, SENDING);
        enqueue(1);
        awaitState(OutboxState.ACCEPTED, 5);
        run.stopWell();
        assertEquals(6, count(OutboxState.REVIEW));
        assertEquals(5, simulator.tasks().size());
    }

    @Test
    void aCredentialThatIsReplacedInTheFileIsNotSeenByAPlatformThatHasReadIt() throws Exception {
        Path file = folder.resolve("credentials.json");
        credentials.writeTo(file);
        platform = HttpTaskPlatform.builder(simulator.url(), OrbitCredentials.fromFile(file))
                .build();
        enqueue(1);
        RunningSender run = start(sender(), platform, ONE_BY_ONE);
        awaitState(OutboxState.ACCEPTED, 1);

        replace(file, simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, SENDING));
        enqueue(1);
        awaitState(OutboxState.ACCEPTED, 2);
        simulator.revoke(credentials);
        enqueue(1);
        awaitState(OutboxState.REVIEW, 1);
        run.stopWell();
    }

    @Test
    void aPlatformThatReadsTheFileAgainTakesTheNewCredentialAndChecksItsTarget() throws Exception {
        Path file = folder.resolve("credentials.json");
        credentials.writeTo(file);
        enqueue(1);
        RunningSender run = start(sender(), new RereadingPlatform(simulator.url(), file), ONE_BY_ONE);
        awaitState(OutboxState.ACCEPTED, 1);

        replace(file, simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, SENDING));
        simulator.revoke(credentials);
        enqueue(5);
        awaitState(OutboxState.ACCEPTED, 6);
        assertEquals(2, simulator.requests(OrbitCall.GET_QUEUE));

        simulator.addQueue("ns-2", Requests.QUEUE);
        replace(file, simulator.issueCredential("ns-2", Requests.QUEUE, SENDING));
        String id = enqueue(1).get(0);
        awaitState(OutboxState.REVIEW, 1);
        run.stopWell();
        assertReviewed(ResultCode.TARGET_MISMATCH, row(id));
        assertEquals(6, simulator.submissions().size());
    }

    private OutboxRecord send(OutboxSender sender) {
        return sender.sendOnce(platformAt(simulator.url())).orElseThrow();
    }

    private static void assertReviewed(ResultCode code, OutboxRecord row) {
        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(code, row.resultCode());
        assertTrue(row.taskId() == null && row.receiptJson() == null, row.toString());
    }

    private static void replace(Path file, OrbitCredentials by) throws IOException {
        Path next = file.resolveSibling("next.json");
        by.writeTo(next);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** As docs/operations.md has it: an adapter of the application's own, whose key changes with the credential. */
    private record RereadingPlatform(URI url, Path file) implements TaskPlatform {
        private TaskPlatform now() {
            return HttpTaskPlatform.builder(url, OrbitCredentials.fromFile(file))
                    .build();
        }

        @Override
        public Queue getQueue(String queueId, Duration timeout) {
            return now().getQueue(queueId, timeout);
        }

        @Override
        public SubmitTaskResult submit(SubmitTaskCommand command, Duration timeout) {
            return now().submit(command, timeout);
        }

        @Override
        public Task getTask(String taskId, Duration timeout) {
            return now().getTask(taskId, timeout);
        }

        @Override
        public Task cancel(String taskId, Duration timeout) {
            return now().cancel(taskId, timeout);
        }

        @Override
        public Object credentialKey() {
            return now().credentialKey();
        }
    }
}
