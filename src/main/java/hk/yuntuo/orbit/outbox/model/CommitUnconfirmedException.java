package hk.yuntuo.orbit.outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * The COMMIT was sent and no answer came: the transaction may or may not have committed. Keep the operation id and the content,
 * and run the same transaction again, or ask {@code Outbox.resolve}. Never assume a rollback.
 */
public final class CommitUnconfirmedException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened and what to do next
     * @param operationId the operation it is about, or null
     * @param cause the cause, or null
     */
    public CommitUnconfirmedException(String message, @Nullable String operationId, @Nullable Throwable cause) {
        super(message, operationId, null, cause);
    }
}
