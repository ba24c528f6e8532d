package hk.yuntuo.orbit.outbox.spi;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import jakarta.persistence.EntityManager;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs a unit of an application's work in one transaction and says truly how it ended: returned means committed; an exception means
 * rolled back, except {@link CommitUnconfirmedException}, which means unknown. Thread-safe.
 */
public interface OutboxTransactions {
    /**
     * Begins a transaction on a new EntityManager, runs the work, flushes, commits and closes. It joins no other transaction: a JTA
     * transaction of the caller is suspended, and resumed whatever happens. The work is run once; nothing is retried. Its time-out under
     * JTA is the transaction manager's.
     *
     * @param operationId the operation the work is about, named in errors, 32 lowercase hexadecimal digits; null if there is none
     * @param work the work; it must not begin, commit or roll back
     * @param <T> what the work returns
     * @return what the work returned, after the database confirmed the COMMIT
     * @throws CommitUnconfirmedException if the COMMIT was sent and got no answer; under JTA also if it cannot be excluded that it was sent, or
     *     if the caller's own transaction could not be resumed after the commit
     * @throws RetryableTransactionException if a deadlock or a lock wait time-out ended it: rolled back, run it again
     * @throws OutboxStorageException if there was no connection to begin with, or the transaction manager could not begin
     * @throws jakarta.persistence.RollbackException if the work swallowed an error that had marked the transaction for rollback, or
     *     a flush within the commit failed, or the transaction manager's time-out passed: rolled back
     * @throws IllegalStateException if the work ended its transaction itself; or if the caller has a JTA transaction and the platform has no
     *     TransactionManager to suspend it, and then nothing was begun
     * @throws RuntimeException whatever else the work or the flush threw: rolled back
     */
    <T> T inTransaction(@Nullable String operationId, Function<EntityManager, T> work);

    /**
     * The same, without naming an operation.
     *
     * @param work the work
     * @param <T> what the work returns
     * @return what the work returned
     */
    default <T> T inTransaction(Function<EntityManager, T> work) {
        return inTransaction(null, work);
    }
}
