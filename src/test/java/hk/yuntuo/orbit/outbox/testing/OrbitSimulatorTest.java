package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of docs/orbit-http.md, spoken by a plain HTTP client. */
class OrbitSimulatorTest {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final ObjectMapper JSON = new ObjectMapper();
    static final String DOCUMENT = "{\"document_version\":1,\"queue_id\":\"outbox\",\"handler\":\"object.prepare\","
            + "\"handler_version\":\"v1\",\"payload_version\":\"v1\",\"business_key\":\"k\",\"task_timeout_ms\":60000,"
            + "\"delay_ms\":0,\"start_deadline_at\":\"2026-11-30T08:00:00.000001Z\",\"recovery_level\":\"RERUN\","
            + "\"attempt_policy\":{\"max_attempts\":3,\"first_backoff_ms\":1000,\"max_backoff_ms\":60000},"
            + "\"payload\":{\"n\":9007199254740993,\"d\":1.10,\"s\":\"\u00e4\u20ac\"}}";

    private OrbitSimulator simulator;
    private OrbitCredentials all;

    @BeforeEach
    void start() {
        simulator = OrbitSimulator.start();
        all = simulator.issueCredential("team-a", "outbox", OrbitScope.values());
    }

    @AfterEach
    void stop() {
        simulator.close();
    }

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
    void theFirstSubmissionCreatesATaskOfItsExactBytes() throws Exception {
        Instant before = Instant.now();
        HttpResponse<String> answer = submit("key-1", DOCUMENT, all);
        assertEquals(201, answer.statusCode());
        JsonNode receipt = JSON.readTree(answer.body());
        SimulatedTask task = simulator.tasks().get(0);
        assertEquals(task.taskId(), receipt.get("task_id").textValue());
        assertEquals("team-a", receipt.get("namespace_id").textValue());
        assertEquals("outbox", receipt.get("queue_id").textValue());
        assertEquals("key-1", receipt.get("idempotency_key").textValue());
        assertFalse(receipt.get("deduplicated").booleanValue());
        assertFalse(Instant.parse(receipt.get("accepted_at").textValue()).isBefore(before.minusMillis(1)));
        assertArrayEquals(DOCUMENT.getBytes(StandardCharsets.UTF_8), task.document());
        Submission submission = simulator.submissions().get(0);
        assertArrayEquals(DOCUMENT.getBytes(StandardCharsets.UTF_8), submission.document());
        assertEquals(SubmissionOutcome.ACCEPTED, submission.outcome());
        assertEquals("key-1", submission.submissionKey());
        assertEquals("team-a", submission.namespaceId());
        assertEquals(task.taskId(), submission.taskId());
    }

    @Test
    void theSameBytesAgainYieldTheSameTask() throws Exception {
        JsonNode first = JSON.readTree(submit("key-1", DOCUMENT, all).body());
        HttpResponse<String> again = submit("key-1", DOCUMENT, all);
        assertEquals(200, again.statusCode());
        JsonNode second = JSON.readTree(again.body());
        assertTrue(second.get("deduplicated").booleanValue());
        assertEquals(first.get("task_id"), second.get("task_id"));
        assertEquals(first.get("accepted_at"), second.get("accepted_at"));
        assertEquals(1, simulator.tasks().size());
        assertOutcomes(SubmissionOutcome.ACCEPTED, SubmissionOutcome.DEDUPLICATED);
    }

    @Test
    void otherBytesUnderTheSameKeyAreAConflict() throws Exception {
        submit("key-1", DOCUMENT, all);
        assertError(409, "idempotency_conflict", submit("key-1", DOCUMENT + " ", all));
        assertArrayEquals(
                DOCUMENT.getBytes(StandardCharsets.UTF_8),
                simulator.tasks().get(0).document());
        assertOutcomes(SubmissionOutcome.ACCEPTED, SubmissionOutcome.CONFLICT);
    }

    @Test
    void keysAreKeptApartByNamespace() throws Exception {
        OrbitCredentials other = simulator.issueCredential("team-b", "outbox", OrbitScope.TASKS_SUBMIT);
        assertEquals(201, submit("key-1", DOCUMENT, all).statusCode());
        assertEquals(201, submit("key-1", DOCUMENT, other).statusCode());
        assertEquals(2, simulator.tasks().size());
    }

    @Test
    void submissionsAtTheSameTimeYieldOneTask() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            answers.add(CLIENT.sendAsync(submission("key-1", DOCUMENT, all), HttpResponse.BodyHandlers.ofString()));
        }
        Set<String> tasks = new HashSet<>();
        int created = 0;
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            JsonNode receipt = JSON.readTree(answer.get().body());
            tasks.add(receipt.get("task_id").textValue());
            created += answer.get().statusCode() == 201 ? 1 : 0;
        }
        assertEquals(1, tasks.size());
        assertEquals(1, created);
        assertEquals(1, simulator.tasks().size());
        assertEquals(16, simulator.submissions().size());
    }

    @Test
    void laterTasksHaveGreaterIds() throws Exception {
        submit("key-1", DOCUMENT, all);
        submit("key-2", DOCUMENT, all);
        List<SimulatedTask> tasks = simulator.tasks();
        assertTrue(tasks.get(0).taskId().compareTo(tasks.get(1).taskId()) < 0);
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

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "\"x\"", "{", "{}{}", "{\"queue_id\":\"a\",\"queue_id\":\"a\"}"})
    void bodiesThatAreNotOneObjectAreBadRequests(String document) throws Exception {
        assertError(400, "invalid_json", submit("key-1", document, all));
        assertOutcomes(SubmissionOutcome.REFUSED);
        assertEquals(List.of(), simulator.tasks());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queue_id",
                "handler",
                "handler_version",
                "payload_version",
                "task_timeout_ms",
                "recovery_level",
                "attempt_policy",
                "max_attempts",
                "payload",
            })
    void requiredFieldsAreRequired(String field) throws Exception {
        assertError(422, "invalid_document", submit("key-1", DOCUMENT.replace("\"" + field + "\"", "\"x\""), all));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"document_version\":1 | \"document_version\":2 | document_version_unknown",
                "\"document_version\":1 | \"document_version\":\"1\" | invalid_document",
                "\"handler\":\"object.prepare\" | \"handler\":\"\" | invalid_document",
                "\"handler_version\":\"v1\" | \"handler_version\":1 | invalid_document",
                "\"task_timeout_ms\":60000 | \"task_timeout_ms\":0 | invalid_document",
                "\"task_timeout_ms\":60000 | \"task_timeout_ms\":1.5 | invalid_document",
                "\"delay_ms\":0 | \"delay_ms\":-1 | invalid_document",
                "\"delay_ms\":0 | \"delay_ms\":0,\"available_at\":\"2026-11-30T08:00:00Z\" | invalid_document",
                "\"delay_ms\":0 | \"available_at\":\"2026-11-30\" | invalid_document",
                "\"delay_ms\":0 | \"available_at\":\"2026-11-30T08:00:00+01:00\" | invalid_document",
                "RERUN | rerun | invalid_document",
                "\"max_attempts\":3 | \"max_attempts\":0 | invalid_document",
                "\"max_backoff_ms\":60000 | \"max_backoff_ms\":999 | invalid_document",
                "\"max_attempts\":3 | \"max_attempts\":3,\"more\":1 | invalid_document",
                "\"document_version\":1 | \"document_version\":1,\"more\":1 | invalid_document",
                "\"queue_id\":\"outbox\" | \"queue_id\":\"nowhere\" | queue_not_found",
            })
    void documentsThatBreakARuleAreRefused(String part, String broken, String code) throws Exception {
        String document = DOCUMENT.replace(part, broken);
        assertNotEquals(DOCUMENT, document);
        assertError(code.equals("queue_not_found") ? 404 : 422, code, submit("key-1", document, all));
    }

    @Test
    void aPayloadMayBeAnyJson() throws Exception {
        String[] payloads = {"null", "0", "\"\"", "[]", "[" + "9".repeat(2000) + "]"};
        for (int i = 0; i < payloads.length; i++) {
            String document = DOCUMENT.substring(0, DOCUMENT.indexOf("{\"n\"")) + payloads[i] + "}";
            assertEquals(201, submit("key-" + i, document, all).statusCode());
        }
    }

    @Test
    void aQueueOfAnotherCredentialIsNotAllowed() throws Exception {
        simulator.addQueue("team-a", "second");
        assertError(403, "queue_not_allowed", submit("key-1", DOCUMENT.replace("\"outbox\"", "\"second\""), all));
    }

    @Test
    void keysHaveTheirForm() throws Exception {
        assertEquals(201, submit("~".repeat(64), DOCUMENT, all).statusCode());
        assertError(400, "invalid_idempotency_key", submit("~".repeat(65), DOCUMENT, all));
        assertError(400, "invalid_idempotency_key", submit("a b", DOCUMENT, all));
        HttpRequest none = request("/v1/tasks", all)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(DOCUMENT))
                .build();
        assertError(400, "invalid_idempotency_key", send(none));
    }

    @Test
    void otherContentTypesAreRefused() throws Exception {
        HttpRequest text = request("/v1/tasks", all)
                .header("Content-Type", "text/plain")
                .header("Idempotency-Key", "key-1")
                .POST(HttpRequest.BodyPublishers.ofString(DOCUMENT))
                .build();
        assertError(415, "unsupported_media_type", send(text));
    }

    @Test
    void bodiesPastTheLimitAreRefused() throws Exception {
        simulator.maxRequestBytes(DOCUMENT.getBytes(StandardCharsets.UTF_8).length);
        assertError(413, "body_too_large", submit("key-1", DOCUMENT + " ", all));
        assertEquals(201, submit("key-1", DOCUMENT, all).statusCode());
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

    private HttpResponse<String> call(OrbitCall call, String taskId, OrbitCredentials credentials) throws Exception {
        return switch (call) {
            case GET_QUEUE -> get("/v1/queues/outbox", credentials);
            case SUBMIT -> submit("key-1", DOCUMENT, credentials);
            case GET_TASK -> get("/v1/tasks/" + taskId, credentials);
            case CANCEL ->
                send(request("/v1/tasks/" + taskId + "/cancel", credentials)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build());
        };
    }

    private HttpResponse<String> get(String path, OrbitCredentials credentials) throws Exception {
        return send(request(path, credentials).build());
    }

    private HttpResponse<String> submit(String key, String document, OrbitCredentials credentials) throws Exception {
        return send(submission(key, document, credentials));
    }

    private HttpRequest submission(String key, String document, OrbitCredentials credentials) {
        return request("/v1/tasks", credentials)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(document))
                .build();
    }

    private HttpRequest.Builder request(String path, OrbitCredentials credentials) {
        return HttpRequest.newBuilder(simulator.url().resolve(path))
                .header("Authorization", "Bearer " + credentials.token());
    }

    private static HttpResponse<String> send(HttpRequest request) throws Exception {
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private void assertOutcomes(SubmissionOutcome... expected) {
        assertEquals(
                List.of(expected),
                simulator.submissions().stream().map(Submission::outcome).toList());
    }

    private static void assertStatus(String expected, HttpResponse<String> answer) throws Exception {
        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(expected, JSON.readTree(answer.body()).get("status").textValue());
    }

    private static void assertError(int status, String code, HttpResponse<String> answer) throws Exception {
        assertEquals(status, answer.statusCode(), answer.body());
        JsonNode body = JSON.readTree(answer.body());
        assertEquals(code, body.get("code").textValue());
        assertTrue(body.get("message").isTextual());
    }
}
