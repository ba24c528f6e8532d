package hk.yuntuo.orbit.outbox.model;

/**
 * The transaction had written or locked business rows before it enqueued, and its outbox has {@link LockOrderGuard#FAIL}. Raised before
 * any SQL: nothing was enqueued. {@code Outbox.enqueue} does not mark the transaction for rollback by it; persisting an entity does. Enqueue first.
 */
public final class LockOrderException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what was written before, and what to do next
     * @param operationId the operation that was not enqueued
     */
    public LockOrderException(String message, String operationId) {
        super(message, operationId, null, null);
    }
}
