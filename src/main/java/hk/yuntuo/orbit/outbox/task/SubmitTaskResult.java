package hk.yuntuo.orbit.outbox.task;

import java.time.Instant;
import java.util.Objects;

/**
 * The platform's receipt for an accepted task.
 *
 * @param taskId the task, 1 to 128 visible ASCII characters
 * @param namespaceId the namespace the platform filed it under
 * @param queueId the queue it was put in
 * @param submissionKey the idempotency key it was accepted under
 * @param deduplicated true if an earlier submission under the same key had created the task
 * @param acceptedAt when the platform first accepted it, by the platform's clock
 * @param receiptJson the receipt as received; JSON that MySQL's JSON_VALID takes, at most 5,000,000 characters
 */
public record SubmitTaskResult(
        String taskId,
        String namespaceId,
        String queueId,
        String submissionKey,
        boolean deduplicated,
        Instant acceptedAt,
        String receiptJson) {

    /**
     * Checks that nothing is missing.
     *
     * @param taskId the task, 1 to 128 visible ASCII characters
     * @param namespaceId the namespace the platform filed it under
     * @param queueId the queue it was put in
     * @param submissionKey the idempotency key it was accepted under
     * @param deduplicated true if an earlier submission under the same key had created the task
     * @param acceptedAt when the platform first accepted it, by the platform's clock
     * @param receiptJson the receipt as received; JSON that MySQL's JSON_VALID takes, at most 5,000,000 characters
     */
    public SubmitTaskResult {
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(namespaceId, "namespaceId");
        Objects.requireNonNull(queueId, "queueId");
        Objects.requireNonNull(submissionKey, "submissionKey");
        Objects.requireNonNull(acceptedAt, "acceptedAt");
        Objects.requireNonNull(receiptJson, "receiptJson");
    }

    /** Leaves the receipt out. */
    @Override
    public String toString() {
        return "SubmitTaskResult[taskId=" + taskId + ", namespaceId=" + namespaceId + ", queueId=" + queueId
                + ", submissionKey=" + submissionKey + ", deduplicated=" + deduplicated + ", acceptedAt=" + acceptedAt
                + "]";
    }
}
