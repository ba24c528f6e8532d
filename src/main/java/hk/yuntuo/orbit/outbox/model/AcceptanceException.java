package hk.yuntuo.orbit.outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * The application's callback for an acceptance failed: the whole confirmation was rolled back. The row is taken up again when
 * its lease ends, and the platform answers with the same task.
 */
public final class AcceptanceException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened and what to do next
     * @param operationId the operation it is about, or null
     * @param cause the cause, or null
     */
    public AcceptanceException(String message, @Nullable String operationId, @Nullable Throwable cause) {
        super(message, operationId, null, cause);
    }
}
