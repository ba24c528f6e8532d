package hk.yuntuo.orbit.outbox.task;

import java.util.Objects;

/**
 * A task as the platform shows it.
 *
 * @param id the task's id
 * @param namespaceId its namespace
 * @param queueId its queue
 * @param status the platform's word for where the task is; new words may appear
 */
public record Task(String id, String namespaceId, String queueId, String status) {
    /**
     * Checks that nothing is missing.
     *
     * @param id the task's id
     * @param namespaceId its namespace
     * @param queueId its queue
     * @param status the platform's word for where the task is; new words may appear
     */
    public Task {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(namespaceId, "namespaceId");
        Objects.requireNonNull(queueId, "queueId");
        Objects.requireNonNull(status, "status");
    }
}
