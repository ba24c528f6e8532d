package hk.yuntuo.orbit.outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * The operation exists with another queue or other content. The stored command stands; nothing was changed by this call. Look at
 * the stored record; a new id would hide the conflict.
 */
public final class OutboxConflictException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened and what to do next
     * @param operationId the operation it is about, or null
     * @param cause the cause, or null
     */
    public OutboxConflictException(String message, @Nullable String operationId, @Nullable Throwable cause) {
        super(message, operationId, null, cause);
    }
}
