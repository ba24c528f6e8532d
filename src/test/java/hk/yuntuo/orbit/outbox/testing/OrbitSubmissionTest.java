package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a submission does: idempotency, and the rules for keys and documents. */
class OrbitSubmissionTest extends SimulatorTest {
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
}
