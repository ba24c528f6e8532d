package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract but for what a submission does, and the simulator itself. */
class OrbitSimulatorTest extends SimulatorTest {
    @Test
    void aQueueIsShownToItsCredential() throws Exception {
        HttpResponse<String> answer = get("/v1/queues/outbox", all);
        assertEquals(200, answer.statusCode());
        assertEquals(
                "application/json", answer.headers().firstValue("Content-Type").orElseThrow());
        assertEquals("{\"id\":\"outbox\",\"namespace_id\":\"team-a\"}", answer.body());
        assertEquals(1, simulator.requests(OrbitCall.GET_QUEUE));
    }

    @Test
    void queuesOfOthersAreNotShown() throws Exception {
        simulator.addQueue("team-a", "second");
        simulator.addQueue("team-b", "third");
        assertError(403, "queue_not_allowed", get("/v1/queues/second", all));
        assertError(404, "queue_not_found", get("/v1/queues/third", all));
        assertError(404, "queue_not_found", get("/v1/queues/a%2Fb", all));
    }

    @Test
    void unknownAndMissingTokensAreUnauthenticated() throws Exception {
        OrbitCredentials unknown = new OrbitCredentials("unknown", "team-a", "outbox");
        HttpResponse<String> answer = get("/v1/queues/outbox", unknown);
        assertError(401, "unauthenticated", answer);
        assertEquals("Bearer", answer.headers().firstValue("WWW-Authenticate").orElseThrow());
        assertError(401, "unauthenticated", submit("key-1", DOCUMENT, unknown));
        assertOutcomes(SubmissionOutcome.REFUSED);
        HttpRequest bare = HttpRequest.newBuilder(simulator.url().resolve("/v1/queues/outbox"))
                .build();
        assertError(401, "unauthenticated", send(bare));
        HttpRequest basic = HttpRequest.newBuilder(simulator.url().resolve("/v1/queues/outbox"))
                .header("Authorization", "Basic " + all.token())
                .build();
        assertError(401, "unauthenticated", send(basic));
    }

    @Test
    void aRevokedCredentialIsUnknown() throws Exception {
        simulator.revoke(all);
        assertError(401, "unauthenticated", get("/v1/queues/outbox", all));
        simulator.addCredential(all, OrbitScope.QUEUES_READ);
        assertEquals(200, get("/v1/queues/outbox", all).statusCode());
    }

    @ParameterizedTest
    @EnumSource
    void everyCallNeedsItsScope(OrbitCall call) throws Exception {
        submit("key-1", DOCUMENT, all);
        String taskId = simulator.tasks().get(0).taskId();
        List<OrbitScope> others = new ArrayList<>(List.of(OrbitScope.values()));
        others.remove(call.scope());
        OrbitCredentials without = simulator.issueCredential("team-a", "outbox", others.toArray(new OrbitScope[0]));
        OrbitCredentials with = simulator.issueCredential("team-a", "outbox", call.scope());
        assertError(403, "scope_missing", call(call, taskId, without));
        assertEquals(200, call(call, taskId, with).statusCode());
    }

    @Test
    void aQueuedTaskIsCancelledAndStaysSo() throws Exception {
        submit("key-1", DOCUMENT, all);
        String taskId = simulator.tasks().get(0).taskId();
        assertStatus("queued", get("/v1/tasks/" + taskId, all));
        HttpResponse<String> cancelled = call(OrbitCall.CANCEL, taskId, all);
        assertStatus("cancelled", cancelled);
        assertEquals(cancelled.body(), call(OrbitCall.CANCEL, taskId, all).body());
        assertEquals(cancelled.body(), get("/v1/tasks/" + taskId, all).body());
    }

    @Test
    void aTaskThatHasEndedCannotBeCancelled() throws Exception {
        submit("key-1", DOCUMENT, all);
        String taskId = simulator.tasks().get(0).taskId();
        simulator.succeed(taskId);
        assertError(409, "task_ended", call(OrbitCall.CANCEL, taskId, all));
        assertStatus("succeeded", get("/v1/tasks/" + taskId, all));
        assertThrows(IllegalArgumentException.class, () -> simulator.succeed(taskId));
    }

    @Test
    void tasksOfOtherNamespacesAreNotFound() throws Exception {
        submit("key-1", DOCUMENT, all);
        String taskId = simulator.tasks().get(0).taskId();
        OrbitCredentials other = simulator.issueCredential("team-b", "outbox", OrbitScope.values());
        assertError(404, "task_not_found", get("/v1/tasks/" + taskId, other));
        assertError(404, "task_not_found", call(OrbitCall.CANCEL, taskId, other));
        assertError(404, "task_not_found", get("/v1/tasks/none", all));
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        assertError(404, "not_found", get("/v1/queues/outbox/", all));
        assertError(404, "not_found", get("/", all));
        HttpResponse<String> answer = get("/v1/tasks", all);
        assertError(405, "method_not_allowed", answer);
        assertEquals("POST", answer.headers().firstValue("Allow").orElseThrow());
    }

    @Test
    void faultsStrikeInOrderTheCallsTheyAreFor() throws Exception {
        simulator.faults().next(Fault.status(500), Fault.status(502, "gateway"));
        simulator.faults().next(OrbitCall.GET_QUEUE, Fault.status(504));
        simulator.faults().nextOfAny(Fault.status(418));
        assertEquals(4, simulator.faults().remaining());
        assertError(504, "simulated", get("/v1/queues/outbox", all));
        assertError(500, "simulated", submit("key-1", DOCUMENT, all));
        assertError(418, "simulated", get("/v1/queues/outbox", all));
        assertError(502, "gateway", submit("key-1", DOCUMENT, all));
        assertEquals(0, simulator.faults().remaining());
        assertEquals(201, submit("key-1", DOCUMENT, all).statusCode());
        assertOutcomes(SubmissionOutcome.NOT_HANDLED, SubmissionOutcome.NOT_HANDLED, SubmissionOutcome.ACCEPTED);
    }

    @Test
    void disarmedFaultsDoNotStrike() throws Exception {
        simulator.faults().next(Fault.status(500));
        simulator.faults().clear();
        assertEquals(201, submit("key-1", DOCUMENT, all).statusCode());
    }

    @Test
    void theHookRunsAfterTheAcceptanceAndBeforeTheAnswer() throws Exception {
        List<String> seen = new ArrayList<>();
        simulator.onAccepted(submission -> {
            seen.add(submission.outcome() + " " + simulator.tasks().size());
            throw new IllegalStateException("cut");
        });
        assertThrows(IOException.class, () -> submit("key-1", DOCUMENT, all));
        simulator.onAccepted(submission -> seen.add(submission.outcome().name()));
        assertEquals(200, submit("key-1", DOCUMENT, all).statusCode());
        assertEquals(List.of("ACCEPTED 1", "DEDUPLICATED"), seen);
    }

    @Test
    void toStringsLeaveDocumentsOut() throws Exception {
        submit("key-1", DOCUMENT, all);
        assertFalse(simulator.tasks().toString().contains("object.prepare"));
        assertFalse(simulator.submissions().toString().contains("object.prepare"));
        assertTrue(simulator.tasks().get(0).documentText().contains("object.prepare"));
        assertTrue(simulator.submissions().get(0).documentText().contains("object.prepare"));
    }

    @Test
    void itListensAtTheGivenPortAndStopsWhenClosed() throws Exception {
        int port = simulator.url().getPort();
        simulator.close();
        simulator.close();
        URI url = simulator.url();
        HttpRequest late = HttpRequest.newBuilder(url).build();
        assertThrows(IOException.class, () -> send(late));
        try (OrbitSimulator again = OrbitSimulator.start(port)) {
            assertEquals(port, again.url().getPort());
            assertThrows(java.io.UncheckedIOException.class, () -> OrbitSimulator.start(port));
        }
    }
}
