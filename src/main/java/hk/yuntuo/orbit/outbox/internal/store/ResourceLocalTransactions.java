package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.spi.OutboxTransactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EntityTransaction;
import jakarta.persistence.RollbackException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Units of an application's work on resource-local EntityManagers. */
public final class ResourceLocalTransactions implements OutboxTransactions {
    private final EntityManagerFactory factory;

    public ResourceLocalTransactions(EntityManagerFactory factory) {
        ShortTransactions.requireResourceLocal(factory);
        this.factory = factory;
    }

    @Override
    public <T> T inTransaction(@Nullable String operationId, Function<EntityManager, T> work) {
        try (EntityManager em = factory.createEntityManager()) {
            EntityTransaction transaction = em.getTransaction();
            transaction.begin();
            T result;
            try {
                result = work.apply(em);
                flush(em);
            } catch (RuntimeException | Error e) {
                rollback(transaction, e);
                throw e;
            }
            commit(operationId, em);
            return result;
        } catch (OutboxException e) {
            throw e;
        } catch (RuntimeException e) {
            throw SqlErrors.isLockFailure(e) ? SqlErrors.retryable(operationId, e) : e;
        }
    }

    /** A commit of a transaction marked for rollback would return normally, so that case is told apart before it. */
    private static void flush(EntityManager em) {
        if (em.getTransaction().getRollbackOnly()) {
            throw new RollbackException(
                    "The transaction was marked for rollback by an error that the work did not report;"
                            + " it was rolled back and nothing is stored.");
        }
        em.flush();
    }

    private static void commit(@Nullable String operationId, EntityManager em) {
        CommitProbe probe = CommitProbe.on(em);
        try {
            em.getTransaction().commit();
        } catch (RuntimeException e) {
            rollback(em.getTransaction(), e);
            if (probe.unanswered(e)) {
                throw CommitProbe.unconfirmed(operationId, e);
            }
            throw SqlErrors.isRollbackAnswer(e) ? SqlErrors.retryable(operationId, e) : e;
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
}
