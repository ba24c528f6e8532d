package hk.yuntuo.orbit.examples.taskoutbox;

import java.io.Serializable;
import java.util.Objects;

/**
 * The primary key of a {@link SenderJob}.
 *
 * @param namespaceId the platform namespace
 * @param operationId the business operation
 */
public record SenderJobKey(String namespaceId, String operationId) implements Serializable {
    /** Checks that both are there. */
    public SenderJobKey {
        Objects.requireNonNull(namespaceId, "namespaceId");
        Objects.requireNonNull(operationId, "operationId");
    }
}
