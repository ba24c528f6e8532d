package hk.yuntuo.orbit.outbox.model;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code sender_outbox} as read at one moment, without the document itself. All instants are UTC with microseconds and
 * come from the database's clock.
 *
 * @param namespaceId the platform namespace the command belongs to
 * @param operationId the business operation, 32 lowercase hex digits
 * @param queueId the fixed target queue
 * @param submissionKey the idempotency key at the platform, always {@code outbox-task-} and the operation id
 * @param requestSha256 the SHA-256 of the frozen document, 64 lowercase hex digits
 * @param state where the row is
 * @param sendCount claims so far, 0 to 100; a claim counts even if its process died before it sent
 * @param leaseEpoch the number of the latest claim; only its owner may settle the row
 * @param dueAt PENDING: the next send. SENDING: the end of the lease. Null in ACCEPTED and REVIEW
 * @param sendDeadlineAt no send starts after it; 24 hours after {@code createdAt}
 * @param resultCode the last outcome; null before the first
 * @param taskId the platform's task; present exactly in ACCEPTED
 * @param receiptJson the platform's receipt as received; present in ACCEPTED, and in REVIEW as evidence of an invalid receipt
 * @param createdAt when the row was enqueued
 * @param updatedAt when the row last changed
 * @param settledAt when the row reached ACCEPTED or REVIEW; null before
 */
public record OutboxRecord(
        String namespaceId,
        String operationId,
        String queueId,
        String submissionKey,
        String requestSha256,
        OutboxState state,
        int sendCount,
        long leaseEpoch,
        @Nullable Instant dueAt,
        Instant sendDeadlineAt,
        @Nullable ResultCode resultCode,
        @Nullable String taskId,
        @Nullable String receiptJson,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant settledAt) {

    /**
     * Checks that nothing is missing.
     *
     * @param namespaceId the platform namespace the command belongs to
     * @param operationId the business operation, 32 lowercase hex digits
     * @param queueId the fixed target queue
     * @param submissionKey the idempotency key at the platform, always {@code outbox-task-} and the operation id
     * @param requestSha256 the SHA-256 of the frozen document, 64 lowercase hex digits
     * @param state where the row is
     * @param sendCount claims so far, 0 to 100; a claim counts even if its process died before it sent
     * @param leaseEpoch the number of the latest claim; only its owner may settle the row
     * @param dueAt PENDING: the next send. SENDING: the end of the lease. Null in ACCEPTED and REVIEW
     * @param sendDeadlineAt no send starts after it; 24 hours after {@code createdAt}
     * @param resultCode the last outcome; null before the first
     * @param taskId the platform's task; present exactly in ACCEPTED
     * @param receiptJson the platform's receipt as received; present in ACCEPTED, and in REVIEW as evidence of an invalid receipt
     * @param createdAt when the row was enqueued
     * @param updatedAt when the row last changed
     * @param settledAt when the row reached ACCEPTED or REVIEW; null before
     */
    public OutboxRecord {
        Objects.requireNonNull(namespaceId, "namespaceId");
        Objects.requireNonNull(operationId, "operationId");
        Objects.requireNonNull(queueId, "queueId");
        Objects.requireNonNull(submissionKey, "submissionKey");
        Objects.requireNonNull(requestSha256, "requestSha256");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(sendDeadlineAt, "sendDeadlineAt");
        Objects.requireNonNull(createdAt, "createdAt");
        Objects.requireNonNull(updatedAt, "updatedAt");
    }

    /** Leaves the receipt out: it may hold what must not be logged. */
    @Override
    public String toString() {
        return "OutboxRecord[namespaceId=" + namespaceId + ", operationId=" + operationId + ", queueId=" + queueId
                + ", state=" + state + ", sendCount=" + sendCount + ", leaseEpoch=" + leaseEpoch + ", dueAt=" + dueAt
                + ", resultCode=" + resultCode + ", taskId=" + taskId + "]";
    }
}
