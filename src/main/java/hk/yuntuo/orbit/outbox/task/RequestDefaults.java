package hk.yuntuo.orbit.outbox.task;

import java.time.Duration;

/**
 * What a request is when the caller does not say. The values are written into every frozen document of version 1, and a
 * repeated enqueue must freeze to the same bytes: they do not change as long as there is a version 1.
 */
final class RequestDefaults {
    static final Duration TASK_TIMEOUT = Duration.ofHours(1);
    static final RecoveryLevel RECOVERY_LEVEL = RecoveryLevel.RERUN;
    static final AttemptPolicy ATTEMPT_POLICY = new AttemptPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(60));

    private RequestDefaults() {}
}
