package hk.yuntuo.orbit.outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * MySQL ended the transaction for a deadlock (1213) or a lock wait time-out (1205), or refused its commit. It is rolled back, or
 * marked so that it can only be rolled back: run the whole transaction again, with the same operation id. It is never a
 * duplicate and never a conflict.
 */
public final class RetryableTransactionException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened and what to do next
     * @param operationId the operation it is about, or null
     * @param cause the cause, or null
     */
    public RetryableTransactionException(String message, @Nullable String operationId, @Nullable Throwable cause) {
        super(message, operationId, null, cause);
    }
}
