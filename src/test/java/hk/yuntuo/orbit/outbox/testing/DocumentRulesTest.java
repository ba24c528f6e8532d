package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.internal.freeze.RequestFreezer;
import hk.yuntuo.orbit.outbox.task.RecoveryLevel;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequestBuilder;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What the library freezes is what the contract takes; the rules themselves are tested over HTTP. */
class DocumentRulesTest {
    private static final RequestFreezer FREEZER = new RequestFreezer(RequestFreezer.GREATEST_MAX_DOCUMENT_BYTES);

    @Test
    void theShortestRequestIsTaken() {
        assertTaken(request("0"));
    }

    @Test
    void everyFieldIsTaken() {
        SubmitTaskRequestBuilder all = request("{\"n\":9007199254740993,\"d\":1.10}")
                .businessKey("\u00e4\u20ac\ud83d\ude00\"\\")
                .taskTimeout(Duration.ofMillis(1))
                .startDeadlineAt(Instant.parse("9999-12-31T23:59:59.999999Z"))
                .recoveryLevel(RecoveryLevel.MANUAL);
        assertTaken(all);
        assertTaken(all.availableAt(Instant.parse("2026-11-30T08:00:00.000001Z")));
    }

    @Test
    void aDelayIsTaken() {
        assertTaken(request("null").delay(Duration.ZERO));
        assertTaken(request("null").delay(Duration.ofDays(30)));
    }

    @Test
    void extremePayloadsAreTaken() {
        assertTaken(request("[".repeat(99) + "]".repeat(99)));
        assertTaken(request("[1e308,1e-400," + "9".repeat(300) + ",0." + "1".repeat(5000) + "]"));
        assertTaken(request("\"" + "x".repeat(16_000_000) + "\""));
    }

    private static SubmitTaskRequestBuilder request(String payload) {
        return SubmitTaskRequest.builder()
                .queueId("outbox")
                .handler("object.prepare")
                .handlerVersion("v1")
                .payloadVersion("v1")
                .payload(payload);
    }

    private static void assertTaken(SubmitTaskRequestBuilder request) {
        assertEquals(
                "outbox", DocumentRules.queueOf(FREEZER.freeze(request.build()).bytes()));
    }
}
