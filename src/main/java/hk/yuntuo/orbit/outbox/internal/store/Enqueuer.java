package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.internal.freeze.FrozenRequest;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Supplier;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.transaction.spi.TransactionStatus;
import org.jspecify.annotations.Nullable;

/**
 * Writes a command on the connection of the caller's own session and transaction. It flushes nothing: persist and flush, or a native
 * query in AUTO mode, would first write all pending business rows and break the order of locks.
 */
public final class Enqueuer {
    private final OutboxStore store;
    /** Whether this JTA unit's data source was seen to take part in JTA transactions. */
    private volatile boolean takesPart;

    public Enqueuer(OutboxStore store) {
        this.store = store;
    }

    public EnqueueResult enqueue(SharedSessionContractImplementor session, String operationId, FrozenRequest request) {
        boolean jta = isJta(session);
        EnqueueResult result = run(
                session,
                operationId,
                () -> session.doReturningWork(connection -> {
                    if (connection.getAutoCommit() && !(jta && store.isInTransaction(connection))) {
                        throw UnitSettings.autocommits("operation " + operationId + " was not enqueued");
                    }
                    return write(connection, operationId, request);
                }));
        if (jta && !takesPart && result == EnqueueResult.INSERTED) {
            requireThatItTakesPart(session, operationId);
        }
        return result;
    }

    /**
     * Under JTA Hibernate gives its connection back after each statement. A pool that takes part in the transaction hands the same one out
     * again; any other has rolled the command back by then, and would lose it without a word.
     */
    private void requireThatItTakesPart(SharedSessionContractImplementor session, String operationId) {
        run(session, operationId, () -> {
            takesPart = session.doReturningWork(
                    connection -> store.status(connection, operationId).isPresent());
            if (!takesPart) {
                throw UnitSettings.takesNoPart(operationId);
            }
            return null;
        });
    }

    /** Takes back a command that this very transaction wrote. */
    public void withdraw(SharedSessionContractImplementor session, String operationId) {
        run(
                session,
                operationId,
                () -> session.doReturningWork(connection -> {
                    store.withdraw(connection, operationId);
                    return null;
                }));
    }

    /** The stored record, as it is now; waits for a transaction that holds it. */
    public Optional<OutboxRecord> stored(SharedSessionContractImplementor session, String operationId) {
        return run(
                session,
                operationId,
                () -> session.doReturningWork(connection -> store.resolve(connection, operationId)));
    }

    /** Every error but a conflict marks the transaction: the server may have rolled it back already. */
    private static <T extends @Nullable Object> T run(
            SharedSessionContractImplementor session, String operationId, Supplier<T> work) {
        try {
            return work.get();
        } catch (OutboxConflictException e) {
            throw e;
        } catch (RuntimeException e) {
            markRollbackOnly(session);
            throw translated(operationId, e);
        }
    }

    public static void markRollbackOnly(SharedSessionContractImplementor session) {
        session.getTransactionCoordinator().getTransactionDriverControl().markRollbackOnly();
    }

    private static boolean isJta(SharedSessionContractImplementor session) {
        return session.getTransactionCoordinator()
                .getTransactionCoordinatorBuilder()
                .isJta();
    }

    private EnqueueResult write(Connection connection, String operationId, FrozenRequest request) throws SQLException {
        if (store.insert(connection, operationId, request)) {
            return EnqueueResult.INSERTED;
        }
        Optional<String> difference = store.difference(connection, operationId, request);
        if (difference.isEmpty()) {
            return EnqueueResult.DUPLICATE;
        }
        throw new OutboxConflictException(
                "Operation " + operationId + " exists " + difference.get() + ". The stored command stands;"
                        + " look at it, and do not hide the conflict behind a new id.",
                operationId,
                null);
    }

    /** @throws IllegalStateException before any SQL, if there is no transaction or it can no longer commit */
    public static void requireActive(SharedSessionContractImplementor session, String operationId) {
        if (!session.isTransactionInProgress()) {
            throw new IllegalStateException("No transaction is active: enqueue of operation " + operationId
                    + " belongs inside the transaction of the business rows. Begin one first.");
        }
        TransactionStatus status = session.getTransactionCoordinator()
                .getTransactionDriverControl()
                .getStatus();
        if (status != TransactionStatus.ACTIVE) {
            throw new IllegalStateException("The transaction can no longer commit (" + status + "): operation "
                    + operationId + " was not enqueued. Roll back and run the whole transaction again.");
        }
    }

    private static RuntimeException translated(String operationId, RuntimeException e) {
        if (e instanceof OutboxException || SqlErrors.sqlException(e) == null) {
            return e;
        }
        return SqlErrors.isLockFailure(e) ? SqlErrors.retryable(operationId, e) : SqlErrors.storage(operationId, e);
    }
}
