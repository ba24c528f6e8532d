package hk.yuntuo.orbit.outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * The sender was told to stop and its deliveries did not end in time. Their rows are safe: they stay under their lease and are
 * taken up again by any sender.
 */
public final class ShutdownTimeoutException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened and what to do next
     * @param operationId the operation it is about, or null
     * @param cause the cause, or null
     */
    public ShutdownTimeoutException(String message, @Nullable String operationId, @Nullable Throwable cause) {
        super(message, operationId, null, cause);
    }
}
