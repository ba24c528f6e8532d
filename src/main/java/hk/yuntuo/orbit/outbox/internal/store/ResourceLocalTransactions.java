package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.spi.OutboxTransactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EntityTransaction;
import jakarta.persistence.RollbackException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Units of an application's work on resource-local EntityManagers. */
public final class ResourceLocalTransactions implements OutboxTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceLocalTransactions.class);

    private final EntityManagerFactory factory;

    public ResourceLocalTransactions(EntityManagerFactory factory) {
        this.factory = factory;
    }

    @Override
    public <T> T inTransaction(@Nullable String operationId, Function<EntityManager, T> work) {
        Objects.requireNonNull(work, "work");
        if (operationId != null) {
            OperationId.parse(operationId);
        }
        EntityManager em = factory.createEntityManager();
        try {
            return inTransaction(operationId, em, work);
        } catch (OutboxException e) {
            throw e;
        } catch (RuntimeException e) {
            throw SqlErrors.isLockFailure(e) ? SqlErrors.retryable(operationId, e) : e;
        } finally {
            close(em);
        }
    }

    private static <T> T inTransaction(
            @Nullable String operationId, EntityManager em, Function<EntityManager, T> work) {
        CommitProbe probe;
        T result;
        try {
            begin(operationId, em);
            probe = CommitProbe.on(em);
            result = work.apply(em);
            probe.requireNotOver();
            flush(em);
        } catch (Throwable e) {
            rollback(em.getTransaction(), e);
            throw e;
        }
        commit(operationId, em, probe);
        return result;
    }

    private static void begin(@Nullable String operationId, EntityManager em) {
        try {
            em.getTransaction().begin();
        } catch (RuntimeException e) {
            throw SqlErrors.sqlException(e) == null ? e : SqlErrors.storage(operationId, e);
        }
    }

    /** Flushed before the commit, so that what a flush throws comes back as it is. */
    private static void flush(EntityManager em) {
        if (!em.getTransaction().getRollbackOnly()) {
            em.flush();
        }
    }

    private static void commit(@Nullable String operationId, EntityManager em, CommitProbe probe) {
        try {
            em.getTransaction().commit();
        } catch (Throwable e) {
            if (probe.committed(operationId, e)) {
                return;
            }
            rollback(em.getTransaction(), e);
            if (probe.unanswered(e)) {
                throw CommitProbe.unconfirmed(operationId, e);
            }
            if (SqlErrors.isRollbackAnswer(e)) {
                throw SqlErrors.retryable(operationId, e);
            }
            throw e;
        }
        if (!probe.isCommitted()) {
            // The commit of a transaction that is marked for rollback rolls back and returns normally.
            throw new RollbackException(
                    "The transaction was marked for rollback by an error that the work did not report;"
                            + " it was rolled back and nothing is stored.");
        }
    }

    private static void rollback(EntityTransaction transaction, Throwable reason) {
        try {
            if (transaction.isActive()) {
                transaction.rollback();
            }
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    /** The outcome stands by now; what a pool throws at giving back does not change it. */
    private static void close(EntityManager em) {
        try {
            em.close();
        } catch (RuntimeException e) {
            LOG.warn("outbox.close.failed {}", e.toString());
        }
    }
}
