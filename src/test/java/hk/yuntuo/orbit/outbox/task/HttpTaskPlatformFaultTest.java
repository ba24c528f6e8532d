package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.SubmissionOutcome;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The adapter against every way in which the platform may fail. */
class HttpTaskPlatformFaultTest extends PlatformTest {
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
}
