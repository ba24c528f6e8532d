package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.internal.freeze.FrozenRequest;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionStatus;

/**
 * Writes a command on the connection of the caller's own session and transaction. It flushes nothing: persist and flush, or a native
 * query in AUTO mode, would first write all pending business rows and break the order of locks.
 */
public final class Enqueuer {
    private final OutboxStore store;

    public Enqueuer(OutboxStore store) {
        this.store = store;
    }

    /** Runs {@code afterCommit} if, and only if, the transaction is known to have committed. */
    public EnqueueResult enqueue(EntityManager em, String operationId, FrozenRequest request, Runnable afterCommit) {
        SharedSessionContractImplementor session = SessionLender.behind(em);
        TransactionCoordinator transactions = session.getTransactionCoordinator();
        requireActive(session, operationId);
        boolean jta = transactions.getTransactionCoordinatorBuilder().isJta();
        EnqueueResult result;
        try {
            result = session.doReturningWork(connection -> {
                if (!jta && connection.getAutoCommit()) {
                    throw UnitSettings.autocommits("operation " + operationId + " was not enqueued");
                }
                return write(connection, operationId, request);
            });
        } catch (OutboxConflictException e) {
            throw e;
        } catch (RuntimeException e) {
            transactions.getTransactionDriverControl().markRollbackOnly();
            throw translated(operationId, e);
        }
        transactions.getLocalSynchronizations().registerSynchronization(new AfterCommit(afterCommit));
        return result;
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

    private static void requireActive(SharedSessionContractImplementor session, String operationId) {
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

    private record AfterCommit(Runnable action) implements Synchronization {
        @Override
        public void beforeCompletion() {}

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_COMMITTED) {
                action.run();
            }
        }
    }
}
