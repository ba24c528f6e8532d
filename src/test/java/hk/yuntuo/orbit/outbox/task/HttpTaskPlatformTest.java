package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.SubmissionOutcome;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The adapter against a platform that keeps the contract, and against every way in which it may fail. */
@Timeout(30)
class HttpTaskPlatformTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final String DOCUMENT = "{ \"document_version\":1,\"queue_id\":\"outbox\",\"handler\":\"h\","
            + "\"handler_version\":\"v1\",\"payload_version\":\"v1\",\"task_timeout_ms\":60000,"
            + "\"recovery_level\":\"RERUN\",\"attempt_policy\":{\"max_attempts\":3,\"first_backoff_ms\":1000,"
            + "\"max_backoff_ms\":60000},\"payload\":{\"n\":9007199254740993,\"d\":1.10,\"s\":\"\u00e4\u20ac\"} }\n";
    private static final SubmitTaskCommand COMMAND =
            new SubmitTaskCommand("outbox-task-1", DOCUMENT.getBytes(StandardCharsets.UTF_8));

    private OrbitSimulator simulator;
    private OrbitCredentials credentials;
    private HttpTaskPlatform platform;

    @BeforeEach
    void start() {
        simulator = OrbitSimulator.start();
        credentials = simulator.issueCredential("team-a", "outbox", OrbitScope.values());
        platform = HttpTaskPlatform.builder(simulator.url(), credentials).build();
    }

    @AfterEach
    void stop() {
        simulator.close();
    }

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

    static Stream<Arguments> faultsOfOneAnswer() {
        return Stream.of(
                fault(Fault.dropBeforeAccepting(), ResultCode.UNCONFIRMED, false),
                fault(Fault.acceptThenDrop(), ResultCode.UNCONFIRMED, true),
                fault(Fault.halfBodyBeforeAccepting(), ResultCode.UNCONFIRMED, false),
                fault(Fault.acceptThenHalfBody(), ResultCode.UNCONFIRMED, true),
                fault(Fault.status(400), ResultCode.HTTP_REJECTED, false),
                fault(Fault.status(401), ResultCode.AUTHORIZATION, false),
                fault(Fault.status(403), ResultCode.AUTHORIZATION, false),
                fault(Fault.status(404), ResultCode.HTTP_REJECTED, false),
                fault(Fault.status(407), ResultCode.HTTP_REJECTED, false),
                fault(Fault.status(409), ResultCode.IDEMPOTENCY_CONFLICT, false),
                fault(Fault.status(429), ResultCode.BACKPRESSURE, false),
                fault(Fault.status(500), ResultCode.UNCONFIRMED, false),
                fault(Fault.status(503), ResultCode.UNCONFIRMED, false),
                fault(Fault.status(202), ResultCode.UNCONFIRMED, false),
                fault(Fault.retryAfter(429, "7"), ResultCode.BACKPRESSURE, false),
                fault(Fault.retryAfter(503, "7"), ResultCode.BACKPRESSURE, false),
                fault(Fault.retryAfter(503, "soon"), ResultCode.UNCONFIRMED, false),
                fault(Fault.acceptThenStatus(502), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.garbage(), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.body(new byte[] {'{', (byte) 0xff, '}'}), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.contentType(), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.oversize(256 * 1024), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.redirect(URI.create("/v1/tasks")), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.noContent(), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.withoutField("task_id"), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.withField("accepted_at", "\"today\""), ResultCode.UNCONFIRMED, true),
                fault(WrongAnswer.withField("deduplicated", "\"no\""), ResultCode.UNCONFIRMED, true));
    }

    private static Arguments fault(Fault fault, ResultCode code, boolean accepted) {
        return Arguments.of(fault, code, accepted);
    }

    @ParameterizedTest
    @MethodSource("faultsOfOneAnswer")
    void everyFaultOfASubmissionHasItsOutcomeAndTheNextOneSucceeds(Fault fault, ResultCode code, boolean accepted) {
        simulator.faults().next(fault);
        assertEquals(code, codeOf(() -> platform.submit(COMMAND, LONG)));
        assertEquals(0, simulator.faults().remaining());
        assertEquals(1, simulator.submissions().size(), "sent once");
        assertEquals(accepted ? 1 : 0, simulator.tasks().size());
        assertEquals(
                accepted ? SubmissionOutcome.ACCEPTED : SubmissionOutcome.NOT_HANDLED,
                simulator.submissions().get(0).outcome());
        assertEquals(accepted, platform.submit(COMMAND, LONG).deduplicated());
        assertEquals(1, simulator.tasks().size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPostIsNotRepeatedOnAConnectionThatWasKept(boolean accept) {
        platform.getQueue("outbox", LONG);
        simulator.faults().next(accept ? Fault.acceptThenDrop() : Fault.dropBeforeAccepting());
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.submit(COMMAND, LONG)));
        assertEquals(1, simulator.submissions().size());
    }

    @Test
    void faultsOfAQueueReadHaveTheSameOutcomes() {
        simulator.faults().next(OrbitCall.GET_QUEUE, Fault.status(500), Fault.status(403), Fault.acceptThenHalfBody());
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.getQueue("outbox", LONG)));
        assertEquals(ResultCode.AUTHORIZATION, codeOf(() -> platform.getQueue("outbox", LONG)));
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.getQueue("outbox", LONG)));
        simulator.faults().next(OrbitCall.GET_QUEUE, WrongAnswer.otherNamespace("team-b"), WrongAnswer.otherQueue("b"));
        assertEquals(new Queue("outbox", "team-b"), platform.getQueue("outbox", LONG));
        assertEquals(new Queue("b", "team-a"), platform.getQueue("outbox", LONG));
    }

    @Test
    void aReceiptForAnotherTargetIsPassedOnForTheCallerToJudge() {
        simulator
                .faults()
                .next(WrongAnswer.otherNamespace("team-b"), WrongAnswer.otherQueue("b"), WrongAnswer.otherKey("k"));
        assertEquals("team-b", platform.submit(COMMAND, LONG).namespaceId());
        assertEquals("b", platform.submit(COMMAND, LONG).queueId());
        assertEquals("k", platform.submit(COMMAND, LONG).submissionKey());
    }

    @Test
    void anAnswerAboutAnotherTaskIsUnconfirmed() {
        String taskId = platform.submit(COMMAND, LONG).taskId();
        simulator.faults().nextOfAny(WrongAnswer.withField("task_id", "\"other\""));
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.getTask(taskId, LONG)));
        simulator.faults().nextOfAny(WrongAnswer.withField("task_id", "\"other\""));
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.cancel(taskId, LONG)));
    }

    @Test
    void retryAfterIsPassedOnInBothForms() {
        simulator
                .faults()
                .next(
                        Fault.retryAfter(429, "7"),
                        Fault.retryAfter(503, "Sun, 06 Nov 1994 08:49:37 GMT"),
                        Fault.status(429));
        assertEquals(
                Optional.of(Duration.ofSeconds(7)),
                failure(() -> platform.submit(COMMAND, LONG)).retryAfter());
        assertEquals(
                Optional.of(Duration.ZERO),
                failure(() -> platform.submit(COMMAND, LONG)).retryAfter());
        assertEquals(
                Optional.empty(), failure(() -> platform.submit(COMMAND, LONG)).retryAfter());
    }

    @Test
    void aRedirectIsNotFollowed() {
        try (OrbitSimulator elsewhere = OrbitSimulator.start()) {
            elsewhere.addCredential(credentials, OrbitScope.values());
            simulator
                    .faults()
                    .next(
                            OrbitCall.GET_QUEUE,
                            WrongAnswer.redirect(elsewhere.url().resolve("/v1/queues/outbox")));
            assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.getQueue("outbox", LONG)));
            assertEquals(0, elsewhere.requests(OrbitCall.GET_QUEUE));
        }
    }

    @Test
    void theLargestAllowedAnswerIsTaken() {
        int length = platform.submit(COMMAND, LONG).receiptJson().length();
        // The next receipt says 200 and true instead of 201 and false: one character less.
        simulator
                .faults()
                .next(WrongAnswer.oversize(256 * 1024 - (length - 1)), WrongAnswer.oversize(256 * 1024 + 2 - length));
        assertEquals(256 * 1024, platform.submit(COMMAND, LONG).receiptJson().length());
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.submit(COMMAND, LONG)));
    }

    @Test
    void silenceEndsWithTheTimeout() {
        CountDownLatch release = new CountDownLatch(1);
        simulator.faults().next(Fault.acceptThenWait(release), Fault.waitBeforeAccepting(release));
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.submit(COMMAND, SHORT)));
        assertEquals(1, simulator.tasks().size());
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.submit(COMMAND, SHORT)));
        release.countDown();
        assertTrue(platform.submit(COMMAND, LONG).deduplicated());
    }

    @Test
    void aBodyThatStallsEndsWithTheTimeout() {
        CountDownLatch never = new CountDownLatch(1);
        simulator.faults().next(Fault.acceptThenStallBody(never));
        TaskPlatformException thrown = failure(() -> platform.submit(COMMAND, SHORT));
        assertEquals(Optional.of(ResultCode.UNCONFIRMED), thrown.resultCode());
        assertTrue(thrown.getMessage().contains("150 ms"), thrown.getMessage());
        assertTrue(platform.submit(COMMAND, LONG).deduplicated());
    }

    @Test
    void aBodyInTwoPartsIsRead() {
        simulator.faults().next(Fault.acceptThenStallBody(new CountDownLatch(0)));
        assertFalse(platform.submit(COMMAND, LONG).deduplicated());
    }

    @Test
    void interruptionEndsTheCallAndIsKept() throws Exception {
        CountDownLatch accepted = new CountDownLatch(1);
        simulator.onAccepted(submission -> accepted.countDown());
        simulator.faults().next(Fault.acceptThenWait(new CountDownLatch(1)));
        FutureTask<Boolean> call = new FutureTask<>(() -> {
            assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.submit(COMMAND, LONG)));
            return Thread.currentThread().isInterrupted();
        });
        Thread thread = new Thread(call);
        thread.start();
        accepted.await();
        thread.interrupt();
        assertTrue(call.get());
    }

    @Test
    void anInterruptedThreadSendsNothing() {
        Thread.currentThread().interrupt();
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.submit(COMMAND, LONG)));
        assertTrue(Thread.interrupted());
        assertEquals(List.of(), simulator.submissions());
    }

    @Test
    void nobodyListeningIsUnconfirmed() {
        simulator.close();
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.getQueue("outbox", LONG)));
        assertEquals(ResultCode.UNCONFIRMED, codeOf(() -> platform.submit(COMMAND, LONG)));
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

    private ResultCode codeOf(Executable call) {
        return failure(call).resultCode().orElseThrow();
    }

    /** The failure of a call; whatever it is, neither it nor its causes may hold the token. */
    private TaskPlatformException failure(Executable call) {
        TaskPlatformException thrown = assertThrows(TaskPlatformException.class, call);
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            assertFalse(t.toString().contains(credentials.token()), t.toString());
        }
        return thrown;
    }
}
