package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.spi.OutboxTransactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.RollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.util.Objects;
import java.util.function.Function;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Units of an application's work in JTA transactions. The caller's own transaction is suspended meanwhile. */
public final class JtaTransactions implements OutboxTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(JtaTransactions.class);

    private final EntityManagerFactory factory;
    private final JtaPlatform platform;

    public JtaTransactions(EntityManagerFactory factory) {
        this.factory = factory;
        this.platform = factory.unwrap(SessionFactoryImplementor.class)
                .getServiceRegistry()
                .requireService(JtaPlatform.class);
    }

    @Override
    public <T> T inTransaction(@Nullable String operationId, Function<EntityManager, T> work) {
        Objects.requireNonNull(work, "work");
        if (operationId != null) {
            OperationId.parse(operationId);
        }
        JtaThread thread = JtaThread.of(platform);
        Transaction callers = setAside(operationId, thread);
        T result;
        try {
            result = alone(operationId, thread, work);
        } catch (OutboxException e) {
            takeUp(thread, callers, e);
            throw e;
        } catch (RuntimeException e) {
            takeUp(thread, callers, e);
            throw SqlErrors.isLockFailure(e) ? SqlErrors.retryable(operationId, e) : e;
        } catch (Throwable e) {
            takeUp(thread, callers, e);
            throw e;
        }
        takeUpAfterCommit(operationId, thread, callers);
        return result;
    }

    private <T> T alone(@Nullable String operationId, JtaThread thread, Function<EntityManager, T> work) {
        begin(operationId, thread);
        JtaProbe probe;
        EntityManager em;
        try {
            probe = JtaProbe.on(platform);
            em = factory.createEntityManager();
        } catch (Throwable e) {
            thread.rollback(e);
            throw e;
        }
        try {
            T result = uncommitted(thread, probe, em, work);
            commit(operationId, thread, probe);
            return result;
        } finally {
            close(em);
        }
    }

    private static <T> T uncommitted(
            JtaThread thread, JtaProbe probe, EntityManager em, Function<EntityManager, T> work) {
        try {
            em.joinTransaction();
            T result = work.apply(em);
            probe.requireNotOver(thread.isOnItsTransaction());
            flush(thread, em);
            return result;
        } catch (SystemException e) {
            thread.rollback(e);
            throw new RollbackException("The transaction manager failed before the commit; nothing is stored.", e);
        } catch (Throwable e) {
            thread.rollback(e);
            throw e;
        }
    }

    private static void begin(@Nullable String operationId, JtaThread thread) {
        try {
            thread.begin();
        } catch (NotSupportedException | SystemException e) {
            throw SqlErrors.storage(operationId, e);
        }
    }

    /** Flushed before the commit, so that what a flush throws comes back as it is. */
    private static void flush(JtaThread thread, EntityManager em) throws SystemException {
        int status = thread.status();
        if (status == Status.STATUS_MARKED_ROLLBACK) {
            throw new RollbackException(
                    "The transaction was marked for rollback by an error that the work did not report;"
                            + " it was rolled back and nothing is stored.");
        }
        if (status != Status.STATUS_ACTIVE) {
            throw JtaProbe.timedOut();
        }
        em.flush();
    }

    private static void commit(@Nullable String operationId, JtaThread thread, JtaProbe probe) {
        try {
            probe.noteWhenBeforeIsOver();
            thread.commit();
        } catch (Throwable e) {
            thread.rollback(e);
            throw probe.failure(operationId, e);
        }
        if (!probe.isCommitted()) {
            throw JtaProbe.unconfirmed(
                    operationId, new SystemException("commit() returned, but the synchronizations heard of no commit"));
        }
    }

    private static @Nullable Transaction setAside(@Nullable String operationId, JtaThread thread) {
        try {
            return thread.setAside();
        } catch (SystemException e) {
            throw SqlErrors.storage(operationId, e);
        }
    }

    private static void takeUp(JtaThread thread, @Nullable Transaction callers, Throwable reason) {
        try {
            if (callers != null) {
                thread.takeUp(callers);
            }
        } catch (Exception e) {
            reason.addSuppressed(e);
        }
    }

    /** A caller that went on without its own transaction would store the rest outside of one. Any exception but this means rolled back. */
    private static void takeUpAfterCommit(
            @Nullable String operationId, JtaThread thread, @Nullable Transaction callers) {
        try {
            if (callers != null) {
                thread.takeUp(callers);
            }
        } catch (Exception e) {
            throw new CommitUnconfirmedException(
                    "The transaction" + (operationId == null ? "" : " of operation " + operationId)
                            + " is committed, but the caller's own transaction could not be resumed.",
                    operationId,
                    e);
        }
    }

    /**
     * The outcome stands by now; what a pool throws at giving back does not change it. After a rollback by another thread Hibernate's
     * first close only tells of that.
     */
    private static void close(EntityManager em) {
        try {
            em.close();
        } catch (RuntimeException e) {
            LOG.warn("outbox.close.failed {}", e.toString());
            closeAgain(em);
        }
    }

    private static void closeAgain(EntityManager em) {
        try {
            if (em.isOpen()) {
                em.close();
            }
        } catch (RuntimeException e) {
            LOG.warn("outbox.close.failed {}", e.toString());
        }
    }
}
