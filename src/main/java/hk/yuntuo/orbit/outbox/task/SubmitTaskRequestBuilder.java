package hk.yuntuo.orbit.outbox.task;

import com.fasterxml.jackson.databind.JsonNode;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fields of a {@link SubmitTaskRequest}. Queue, handler, both versions and the payload must be given; all else
 * has a default. A null is refused at once, every other rule is checked by {@link #build()}; nothing is trimmed, rounded or
 * repaired. Reads no clock. Not thread-safe; may be used again after a build.
 */
public final class SubmitTaskRequestBuilder {
    @Nullable
    String queueId;

    @Nullable
    String handler;

    @Nullable
    String handlerVersion;

    @Nullable
    String payloadVersion;

    @Nullable
    String payload;

    @Nullable
    JsonNode payloadTree;

    @Nullable
    String businessKey;

    Duration taskTimeout = RequestDefaults.TASK_TIMEOUT;

    @Nullable
    Duration delay;

    @Nullable
    Instant availableAt;

    @Nullable
    Instant startDeadlineAt;

    RecoveryLevel recoveryLevel = RequestDefaults.RECOVERY_LEVEL;
    AttemptPolicy attemptPolicy = RequestDefaults.ATTEMPT_POLICY;

    SubmitTaskRequestBuilder() {}

    /**
     * Sets the target queue. Must be given.
     *
     * @param queueId 1 to 64 characters of {@code A-Z a-z 0-9 . _ : -}
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder queueId(String queueId) {
        this.queueId = RequestRules.notNull("queueId", queueId);
        return this;
    }

    /**
     * Sets the handler that is to run the task. Must be given.
     *
     * @param handler 1 to 128 characters of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder handler(String handler) {
        this.handler = RequestRules.notNull("handler", handler);
        return this;
    }

    /**
     * Sets the version of the handler. Must be given.
     *
     * @param handlerVersion 1 to 32 characters of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder handlerVersion(String handlerVersion) {
        this.handlerVersion = RequestRules.notNull("handlerVersion", handlerVersion);
        return this;
    }

    /**
     * Sets the version of the payload's form. Must be given.
     *
     * @param payloadVersion 1 to 32 characters of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder payloadVersion(String payloadVersion) {
        this.payloadVersion = RequestRules.notNull("payloadVersion", payloadVersion);
        return this;
    }

    /**
     * Sets the payload as text, which is stored and sent as it is, byte for byte. Must be given, this way or as a tree; the
     * later call counts.
     *
     * @param json one JSON value by RFC 8259 without duplicate keys and without half a surrogate pair, at most 99 levels
     *     of arrays and objects deep, with no number beyond a double's range, at most 16,777,215 bytes; the outbox may set a
     *     lower limit
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder payload(String json) {
        payload = RequestRules.notNull("payload", json);
        payloadTree = null;
        return this;
    }

    /**
     * Sets the payload as a tree, which is rendered once by {@link #build()}. Numbers keep their digits and scale.
     *
     * @param tree a tree without NaN, infinities, and binary, missing and POJO nodes, otherwise bounded like the text
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder payload(JsonNode tree) {
        payloadTree = RequestRules.notNull("payload", tree);
        payload = null;
        return this;
    }

    /**
     * Sets the caller's own name for the task, for people and reports. By default there is none.
     *
     * @param businessKey 1 to 256 Unicode code points, not all white space, no control characters, no half of a surrogate pair
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder businessKey(String businessKey) {
        this.businessKey = RequestRules.notNull("businessKey", businessKey);
        return this;
    }

    /**
     * Sets how long the task may take in all, counted from the platform's acceptance, not from the enqueue. By default 1 h. A
     * low value ends slow work, a high one lets a stuck task hold its place.
     *
     * @param taskTimeout 1 ms to 30 days, whole milliseconds
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder taskTimeout(Duration taskTimeout) {
        this.taskTimeout = RequestRules.notNull("taskTimeout", taskTimeout);
        return this;
    }

    /**
     * Sets how long the platform waits before the first run, counted from its acceptance, not from the enqueue. By default it
     * does not wait. Not together with {@code availableAt}.
     *
     * @param delay 0 to 30 days, whole milliseconds; 0 is written into the document, unlike no delay
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder delay(Duration delay) {
        this.delay = RequestRules.notNull("delay", delay);
        return this;
    }

    /**
     * Sets the earliest start of the first run. By default there is none. Not together with {@code delay}.
     *
     * @param availableAt 2000-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z, whole microseconds
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder availableAt(Instant availableAt) {
        this.availableAt = RequestRules.notNull("availableAt", availableAt);
        return this;
    }

    /**
     * Sets the latest start of the first run. By default there is none. A command that lies in the outbox past it is
     * submitted all the same, and the platform refuses it.
     *
     * @param startDeadlineAt 2000-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z, whole microseconds, after {@code
     *     availableAt}
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder startDeadlineAt(Instant startDeadlineAt) {
        this.startDeadlineAt = RequestRules.notNull("startDeadlineAt", startDeadlineAt);
        return this;
    }

    /**
     * Sets what the platform does when the task's worker was lost. By default {@link RecoveryLevel#RERUN}.
     *
     * @param recoveryLevel the level
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder recoveryLevel(RecoveryLevel recoveryLevel) {
        this.recoveryLevel = RequestRules.notNull("recoveryLevel", recoveryLevel);
        return this;
    }

    /**
     * Sets how often the platform runs the task. By default 3 runs, the first wait 1 s, the longest 60 s.
     *
     * @param attemptPolicy the policy
     * @return this
     * @throws InvalidInputException if it is null
     */
    public SubmitTaskRequestBuilder attemptPolicy(AttemptPolicy attemptPolicy) {
        this.attemptPolicy = RequestRules.notNull("attemptPolicy", attemptPolicy);
        return this;
    }

    /**
     * Checks every field and the relations between them.
     *
     * @return the request
     * @throws InvalidInputException if a field that must be given is not, or a field breaks its rule; it names the first
     *     such field and holds nothing of the payload
     */
    public SubmitTaskRequest build() {
        return new SubmitTaskRequest(this);
    }
}
