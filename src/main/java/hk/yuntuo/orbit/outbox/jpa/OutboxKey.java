package hk.yuntuo.orbit.outbox.jpa;

import java.io.Serializable;
import java.util.Objects;

/**
 * The primary key of {@link OutboxEntity}.
 *
 * @param namespaceId the platform namespace
 * @param operationId the business operation, 32 lowercase hexadecimal digits
 * @serial exclude
 */
public record OutboxKey(String namespaceId, String operationId) implements Serializable {
    /**
     * Checks that nothing is missing.
     *
     * @param namespaceId the platform namespace
     * @param operationId the business operation, 32 lowercase hexadecimal digits
     */
    public OutboxKey {
        Objects.requireNonNull(namespaceId, "namespaceId");
        Objects.requireNonNull(operationId, "operationId");
    }
}
