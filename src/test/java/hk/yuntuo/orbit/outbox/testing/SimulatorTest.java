package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A simulator, new for each test, and a plain HTTP client that knows the contract of docs/orbit-http.md. */
abstract class SimulatorTest {
    static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    static final ObjectMapper JSON = new ObjectMapper();
    static final String DOCUMENT = "{\"document_version\":1,\"queue_id\":\"outbox\",\"handler\":\"object.prepare\","
            + "\"handler_version\":\"v1\",\"payload_version\":\"v1\",\"business_key\":\"k\",\"task_timeout_ms\":60000,"
            + "\"delay_ms\":0,\"start_deadline_at\":\"2026-11-30T08:00:00.000001Z\",\"recovery_level\":\"RERUN\","
            + "\"attempt_policy\":{\"max_attempts\":3,\"first_backoff_ms\":1000,\"max_backoff_ms\":60000},"
            + "\"payload\":{\"n\":9007199254740993,\"d\":1.10,\"s\":\"\u00e4\u20ac\"}}";

    OrbitSimulator simulator;
    OrbitCredentials all;

    @BeforeEach
    void start() {
        simulator = OrbitSimulator.start();
        all = simulator.issueCredential("team-a", "outbox", OrbitScope.values());
    }

    @AfterEach
    void stop() {
        simulator.close();
    }

    HttpResponse<String> call(OrbitCall call, String taskId, OrbitCredentials credentials) throws Exception {
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

    HttpResponse<String> get(String path, OrbitCredentials credentials) throws Exception {
        return send(request(path, credentials).build());
    }

    HttpResponse<String> submit(String key, String document, OrbitCredentials credentials) throws Exception {
        return send(submission(key, document, credentials));
    }

    HttpRequest submission(String key, String document, OrbitCredentials credentials) {
        return request("/v1/tasks", credentials)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(document))
                .build();
    }

    HttpRequest.Builder request(String path, OrbitCredentials credentials) {
        return HttpRequest.newBuilder(simulator.url().resolve(path))
                .header("Authorization", "Bearer " + credentials.token());
    }

    static HttpResponse<String> send(HttpRequest request) throws Exception {
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    void assertOutcomes(SubmissionOutcome... expected) {
        assertEquals(
                List.of(expected),
                simulator.submissions().stream().map(Submission::outcome).toList());
    }

    static void assertStatus(String expected, HttpResponse<String> answer) throws Exception {
        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(expected, JSON.readTree(answer.body()).get("status").textValue());
    }

    static void assertError(int status, String code, HttpResponse<String> answer) throws Exception {
        assertEquals(status, answer.statusCode(), answer.body());
        JsonNode body = JSON.readTree(answer.body());
        assertEquals(code, body.get("code").textValue());
        assertTrue(body.get("message").isTextual());
    }
}
