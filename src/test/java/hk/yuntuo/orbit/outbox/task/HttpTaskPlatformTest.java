package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The adapter against a platform that keeps the contract. */
class HttpTaskPlatformTest extends PlatformTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final String DOCUMENT = "{ \"document_version\":1,\"queue_id\":\"outbox\",\"handler\":\"h\","
            + "\"handler_version\":\"v1\",\"payload_version\":\"v1\",\"task_timeout_ms\":60000,"
            + "\"recovery_level\":\"RERUN\",\"attempt_policy\":{\"max_attempts\":3,\"first_backoff_ms\":1000,"
            + "\"max_backoff_ms\":60000},\"payload\":{\"n\":9007199254740993,\"d\":1.10,\"s\":\"\u00e4\u20ac\"} }\n";
    private static final SubmitTaskCommand COMMAND =
            new SubmitTaskCommand("outbox-task-1", DOCUMENT.getBytes(StandardCharsets.UTF_8));

    @Test
    void readsAQueue() {
        assertEquals(new Queue("outbox", "team-a"), platform.getQueue("outbox", LONG));
    }

    @Test
    void submitsTheExactBytesUnderTheirKey() {
        SubmitTaskResult receipt = platform.submit(COMMAND, LONG);
        assertEquals("team-a", receipt.namespaceId());
        assertEquals("outbox", receipt.queueId());
        assertEquals("outbox-task-1", receipt.submissionKey());
        assertFalse(receipt.deduplicated());
        assertTrue(receipt.receiptJson().startsWith("{\"task_id\":\"" + receipt.taskId() + "\""));
        assertEquals(receipt.taskId(), simulator.tasks().get(0).taskId());
        assertEquals(simulator.tasks().get(0).acceptedAt(), receipt.acceptedAt());
        assertArrayEquals(
                DOCUMENT.getBytes(StandardCharsets.UTF_8),
                simulator.submissions().get(0).document());
    }

    @Test
    void submittingAgainYieldsTheSameTask() {
        SubmitTaskResult first = platform.submit(COMMAND, LONG);
        SubmitTaskResult again = platform.submit(COMMAND, LONG);
        assertTrue(again.deduplicated());
        assertEquals(first.taskId(), again.taskId());
        assertEquals(first.acceptedAt(), again.acceptedAt());
        assertEquals(1, simulator.tasks().size());
    }

    @Test
    void readsAndCancelsATask() {
        String taskId = platform.submit(COMMAND, LONG).taskId();
        assertEquals(new Task(taskId, "team-a", "outbox", "queued"), platform.getTask(taskId, LONG));
        assertEquals("cancelled", platform.cancel(taskId, LONG).status());
        assertEquals("cancelled", platform.cancel(taskId, LONG).status());
        assertEquals("cancelled", platform.getTask(taskId, LONG).status());
    }

    @Test
    void idsArePercentEncoded() {
        assertEquals(ResultCode.HTTP_REJECTED, codeOf(() -> platform.getTask("no/such?task#%2F", LONG)));
        assertEquals(ResultCode.HTTP_REJECTED, codeOf(() -> platform.cancel("../../v1/tasks/x", LONG)));
        assertEquals(1, simulator.requests(OrbitCall.GET_TASK));
        assertEquals(1, simulator.requests(OrbitCall.CANCEL));
    }

    @Test
    void otherContentUnderTheSameKeyIsAConflict() {
        platform.submit(COMMAND, LONG);
        SubmitTaskCommand other =
                new SubmitTaskCommand("outbox-task-1", (DOCUMENT + " ").getBytes(StandardCharsets.UTF_8));
        assertEquals(ResultCode.IDEMPOTENCY_CONFLICT, codeOf(() -> platform.submit(other, LONG)));
    }

    @Test
    void aRefusedDocumentIsRejectedWithTheShortCode() {
        SubmitTaskCommand empty = new SubmitTaskCommand("outbox-task-1", "{}".getBytes(StandardCharsets.UTF_8));
        TaskPlatformException thrown = failure(() -> platform.submit(empty, LONG));
        assertEquals(Optional.of(ResultCode.HTTP_REJECTED), thrown.resultCode());
        assertEquals("submit: HTTP 422 (code invalid_document): the platform rejected it", thrown.getMessage());
    }

    @Test
    void revokedTokensAndMissingScopesAreUnauthorized() {
        OrbitCredentials reader = simulator.issueCredential("team-a", "outbox", OrbitScope.QUEUES_READ);
        HttpTaskPlatform limited =
                HttpTaskPlatform.builder(simulator.url(), reader).build();
        limited.getQueue("outbox", LONG);
        assertEquals(ResultCode.AUTHORIZATION, codeOf(() -> limited.submit(COMMAND, LONG)));
        simulator.revoke(credentials);
        assertEquals(ResultCode.AUTHORIZATION, codeOf(() -> platform.getQueue("outbox", LONG)));
    }

    @ParameterizedTest
    @EnumSource(OrbitCall.class)
    void everyCallHasBoundsForItsTimeout(OrbitCall call) {
        for (Duration timeout : List.of(
                Duration.ZERO, Duration.ofNanos(999_999), Duration.ofHours(1).plusNanos(1))) {
            InvalidInputException refused = assertThrows(InvalidInputException.class, () -> call(call, timeout));
            assertEquals("timeout", refused.field());
        }
        assertEquals(0, simulator.requests(call));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a\r\nX: y", "\u00e4"})
    void keysAndTaskIdsThatCannotBeSentAreRefused(String value) {
        SubmitTaskCommand command = new SubmitTaskCommand(value, new byte[0]);
        assertThrows(InvalidInputException.class, () -> platform.submit(command, LONG));
        assertThrows(InvalidInputException.class, () -> platform.getTask(value, LONG));
        assertThrows(InvalidInputException.class, () -> platform.cancel(value, LONG));
    }

    @Test
    void theCredentialKeyTellsCredentialsAndPlatformsApart() {
        HttpTaskPlatform same =
                HttpTaskPlatform.builder(simulator.url(), credentials).build();
        HttpTaskPlatform otherToken = HttpTaskPlatform.builder(
                        simulator.url(), new OrbitCredentials("other", "team-a", "outbox"))
                .build();
        HttpTaskPlatform otherPlace = HttpTaskPlatform.builder(simulator.url().resolve("/x"), credentials)
                .build();
        assertEquals(platform.credentialKey(), same.credentialKey());
        assertNotEquals(platform.credentialKey(), otherToken.credentialKey());
        assertNotEquals(platform.credentialKey(), otherPlace.credentialKey());
        assertEquals("CredentialKey", platform.credentialKey().toString());
    }

    @Test
    void toStringShowsTheTargetOnly() {
        assertEquals(
                "HttpTaskPlatform[" + simulator.url() + ", namespaceId=team-a, queueId=outbox]", platform.toString());
    }

    @Test
    void theEnvironmentGivesUrlAndCredentials() {
        HttpTaskPlatform built = HttpTaskPlatform.fromEnvironment(Map.of(
                "ORBIT_URL",
                simulator.url().toString(),
                "ORBIT_TOKEN",
                credentials.token(),
                "ORBIT_NAMESPACE_ID",
                "team-a",
                "ORBIT_QUEUE_ID",
                "outbox"));
        assertEquals(platform.credentialKey(), built.credentialKey());
        assertEquals("team-a", built.getQueue("outbox", LONG).namespaceId());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://u:s3cret@a b", "http://u:s3cret@127.0.0.1"})
    void aUrlThatCannotBeUsedIsRefusedUnseen(String url) {
        Map<String, String> environment = Map.of(
                "ORBIT_URL", url, "ORBIT_TOKEN", "t", "ORBIT_NAMESPACE_ID", "team-a", "ORBIT_QUEUE_ID", "outbox");
        InvalidInputException refused =
                assertThrows(InvalidInputException.class, () -> HttpTaskPlatform.fromEnvironment(environment));
        assertFalse(refused.toString().contains("s3cret"));
    }

    private void call(OrbitCall call, Duration timeout) {
        switch (call) {
            case GET_QUEUE -> platform.getQueue("outbox", timeout);
            case SUBMIT -> platform.submit(COMMAND, timeout);
            case GET_TASK -> platform.getTask("t", timeout);
            case CANCEL -> platform.cancel("t", timeout);
        }
    }
}
