package hk.yuntuo.orbit.outbox.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is to be submitted to the platform. Every field is within its bounds and every default is filled in; the bounds stand
 * at {@link SubmitTaskRequestBuilder}, whose {@code build()} checks them, before any SQL. Immutable and thread-safe.
 *
 * <p>The outbox freezes a request into bytes when it is enqueued, and what is stored is what is sent. A repeated enqueue of
 * the same operation must freeze to the same bytes, so build it from the same input: {@code 1.0} and {@code 1.00} are two
 * payloads, and so are two orders of keys.
 */
public final class SubmitTaskRequest {
    private final String queueId;
    private final String handler;
    private final String handlerVersion;
    private final String payloadVersion;
    private final String payload;
    private final @Nullable String businessKey;
    private final Duration taskTimeout;
    private final @Nullable Duration delay;
    private final @Nullable Instant availableAt;
    private final @Nullable Instant startDeadlineAt;
    private final RecoveryLevel recoveryLevel;
    private final AttemptPolicy attemptPolicy;

    SubmitTaskRequest(SubmitTaskRequestBuilder given) {
        queueId = RequestRules.queueId(given.queueId);
        handler = RequestRules.handler(given.handler);
        handlerVersion = RequestRules.version("handlerVersion", given.handlerVersion);
        payloadVersion = RequestRules.version("payloadVersion", given.payloadVersion);
        businessKey = RequestRules.businessKey(given.businessKey);
        taskTimeout = RequestRules.taskTimeout(given.taskTimeout);
        delay = RequestRules.delay(given.delay, given.availableAt);
        availableAt = RequestRules.availableAt(given.availableAt);
        startDeadlineAt = RequestRules.startDeadlineAt(given.startDeadlineAt, given.availableAt);
        recoveryLevel = given.recoveryLevel;
        attemptPolicy = given.attemptPolicy;
        payload = RequestRules.payload(given.payload, given.payloadTree);
    }

    /**
     * Starts a request.
     *
     * @return a builder with the defaults of version 1
     */
    public static SubmitTaskRequestBuilder builder() {
        return new SubmitTaskRequestBuilder();
    }

    /**
     * The target queue.
     *
     * @return its id
     */
    public String queueId() {
        return queueId;
    }

    /**
     * The handler that is to run the task.
     *
     * @return its name
     */
    public String handler() {
        return handler;
    }

    /**
     * The version of the handler.
     *
     * @return the version
     */
    public String handlerVersion() {
        return handlerVersion;
    }

    /**
     * The version of the payload's form.
     *
     * @return the version
     */
    public String payloadVersion() {
        return payloadVersion;
    }

    /**
     * The payload.
     *
     * @return one JSON value, as it was given or, given as a tree, as it was rendered
     */
    public String payload() {
        return payload;
    }

    /**
     * The caller's own name for the task, for people and reports.
     *
     * @return the key; empty when none was given
     */
    public Optional<String> businessKey() {
        return Optional.ofNullable(businessKey);
    }

    /**
     * How long the task may take in all, from the platform's acceptance on.
     *
     * @return whole milliseconds
     */
    public Duration taskTimeout() {
        return taskTimeout;
    }

    /**
     * How long the platform waits before the first run, from its acceptance on.
     *
     * @return whole milliseconds; empty when none was given
     */
    public Optional<Duration> delay() {
        return Optional.ofNullable(delay);
    }

    /**
     * The earliest start of the first run.
     *
     * @return an instant in whole microseconds; empty when none was given
     */
    public Optional<Instant> availableAt() {
        return Optional.ofNullable(availableAt);
    }

    /**
     * The latest start of the first run.
     *
     * @return an instant in whole microseconds; empty when none was given
     */
    public Optional<Instant> startDeadlineAt() {
        return Optional.ofNullable(startDeadlineAt);
    }

    /**
     * What the platform does when the task's worker was lost.
     *
     * @return the level
     */
    public RecoveryLevel recoveryLevel() {
        return recoveryLevel;
    }

    /**
     * How often the platform runs the task.
     *
     * @return the policy
     */
    public AttemptPolicy attemptPolicy() {
        return attemptPolicy;
    }

    /** Leaves the payload out: it may hold what must not be logged. */
    @Override
    public String toString() {
        return "SubmitTaskRequest[queueId=" + queueId + ", handler=" + handler + ", handlerVersion=" + handlerVersion
                + ", payloadVersion=" + payloadVersion + ", businessKey=" + businessKey + ", taskTimeout=" + taskTimeout
                + ", delay=" + delay + ", availableAt=" + availableAt + ", startDeadlineAt=" + startDeadlineAt
                + ", recoveryLevel=" + recoveryLevel + ", attemptPolicy=" + attemptPolicy + "]";
    }
}
