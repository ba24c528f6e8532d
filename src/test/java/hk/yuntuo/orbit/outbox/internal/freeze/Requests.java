package hk.yuntuo.orbit.outbox.internal.freeze;

import static java.nio.charset.StandardCharsets.UTF_8;

import hk.yuntuo.orbit.outbox.task.AttemptPolicy;
import hk.yuntuo.orbit.outbox.task.RecoveryLevel;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequestBuilder;
import java.time.Duration;
import java.time.Instant;

/** The requests whose documents are pinned by {@link PinnedDocumentTest}. */
final class Requests {
    private Requests() {}

    static String text(FrozenRequest frozen) {
        return new String(frozen.bytes(), UTF_8);
    }

    /** Only what must be given. */
    static SubmitTaskRequestBuilder least() {
        return SubmitTaskRequest.builder()
                .queueId("outbox")
                .handler("object.prepare")
                .handlerVersion("v1")
                .payloadVersion("v1")
                .payload("{}");
    }

    /** Every field but the delay, with what needs escapes, and a payload in an odd form. */
    static SubmitTaskRequestBuilder full() {
        return SubmitTaskRequest.builder()
                .queueId("outbox:eu-1")
                .handler("object.prepare")
                .handlerVersion("v1")
                .payloadVersion("2026-11")
                .payload(" {\"n\": 9007199254740993,\n\t\"d\":1.10, \"s\":\"\\u00e9\u00e9\\/\"} ")
                .businessKey("\u8ba2\u5355 \"7\" \\ \ud83d\ude00")
                .taskTimeout(Duration.ofMinutes(1))
                .availableAt(Instant.parse("2026-11-30T08:00:00.000001Z"))
                .startDeadlineAt(Instant.parse("2026-12-01T08:00:00Z"))
                .recoveryLevel(RecoveryLevel.MANUAL)
                .attemptPolicy(new AttemptPolicy(1, Duration.ofMillis(1), Duration.ofHours(24)));
    }
}
