package hk.yuntuo.orbit.outbox.task;

import java.util.Objects;

/**
 * A queue as the platform shows it to a credential.
 *
 * @param id the queue's id
 * @param namespaceId the namespace the queue and the credential belong to
 */
public record Queue(String id, String namespaceId) {
    /**
     * Checks that nothing is missing.
     *
     * @param id the queue's id
     * @param namespaceId the namespace the queue and the credential belong to
     */
    public Queue {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(namespaceId, "namespaceId");
    }
}
