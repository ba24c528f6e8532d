package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.internal.rules.Limits;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the library's own transactions: a fresh session, READ COMMITTED, at most 5 s. A deadlock or lock wait time-out runs the
 * transaction again while its time lasts. Opens nothing before the first run. Thread-safe.
 */
public final class ShortTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(ShortTransactions.class);

    private final EntityManagerFactory factory;

    public ShortTransactions(EntityManagerFactory factory) {
        this.factory = factory;
    }

    /** The work of one transaction. It may run again after a rollback. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Unit unit) throws SQLException;
    }

    public <T> T run(@Nullable String operationId, Work<T> work) {
        return run(operationId, Limits.TRANSACTION, work);
    }

    /**
     * Runs the work and commits.
     *
     * @throws RetryableTransactionException if locks of others ended the last try
     * @throws CommitUnconfirmedException if the COMMIT got no answer
     * @throws OutboxStorageException if the database failed otherwise
     */
    public <T> T run(@Nullable String operationId, Duration limit, Work<T> work) {
        Deadline deadline = Deadline.stopped(limit);
        while (true) {
            try {
                return once(operationId, deadline, work);
            } catch (RetryableTransactionException e) {
                if (!BoundedConnection.isWorthAnotherTry(deadline)) {
                    throw e;
                }
                LOG.warn("outbox.transaction.retried operation={} {}", operationId, SqlErrors.describe(e));
            }
        }
    }

    private <T> T once(@Nullable String operationId, Deadline deadline, Work<T> work) {
        try (Unit unit = Unit.begin(factory, deadline)) {
            T result;
            try {
                result = work.run(unit);
            } catch (Throwable e) {
                unit.rollback(e);
                if (unit.wasCutWithinALockWait(e)) {
                    throw SqlErrors.retryable(operationId, e);
                }
                throw e;
            }
            unit.commit(operationId);
            return result;
        } catch (OutboxException e) {
            throw e;
        } catch (SQLException | RuntimeException e) {
            throw translated(operationId, e);
        }
    }

    private static RuntimeException translated(@Nullable String operationId, Exception e) {
        if (SqlErrors.isLockFailure(e) || SqlErrors.isRollbackAnswer(e)) {
            return SqlErrors.retryable(operationId, e);
        }
        boolean database = e instanceof PersistenceException || SqlErrors.sqlException(e) != null;
        if (e instanceof RuntimeException other && !database) {
            return other;
        }
        return SqlErrors.storage(operationId, e);
    }
}
