package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.OutboxException;
import jakarta.persistence.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;

/**
 * Watches one JTA transaction. What a transaction manager says of a commit that failed is worth little: a pool that got no answer to its
 * COMMIT reports a rollback, and the transaction manager believes it (RollbackException), or tells its synchronizations of a commit
 * (HeuristicMixedException). What is certain is the phase before: a COMMIT is sent when all beforeCompletion callbacks have returned, and
 * not before.
 */
final class JtaProbe {
    private final JtaPlatform platform;
    private volatile @Nullable End end;
    private volatile boolean beforeIsOver;

    /** As the transaction manager tells it. */
    private record End(int status, Thread by) {}

    private JtaProbe(JtaPlatform platform) {
        this.platform = platform;
    }

    /** Watches the transaction on the thread from now on. */
    static JtaProbe on(JtaPlatform platform) {
        JtaProbe probe = new JtaProbe(platform);
        platform.registerSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            /** A transaction that outlives its time-out is rolled back by a thread of the transaction manager. */
            @Override
            public void afterCompletion(int status) {
                probe.end = new End(status, Thread.currentThread());
            }
        });
        return probe;
    }

    /**
     * To be called last before the commit: transaction managers call back in the order of registration, so that Hibernate's flush and
     * whatever else may still refuse the commit comes before.
     */
    void noteWhenBeforeIsOver() {
        platform.registerSynchronization(new Synchronization() {
            /** Some transaction managers go on calling back after a refusal. What is marked for rollback is not committed. */
            @Override
            public void beforeCompletion() {
                beforeIsOver = !isMarkedForRollback();
            }

            @Override
            public void afterCompletion(int status) {}
        });
    }

    private boolean isMarkedForRollback() {
        try {
            return platform.getCurrentStatus() == Status.STATUS_MARKED_ROLLBACK;
        } catch (SystemException e) {
            return false;
        }
    }

    /** Work that ends its transaction itself has left nothing to tell the truth about. */
    void requireNotOver(boolean isOnThread) {
        End told = end;
        if (told != null && told.status() == Status.STATUS_ROLLEDBACK && told.by() != Thread.currentThread()) {
            throw timedOut();
        }
        if (told != null || !isOnThread) {
            throw new IllegalStateException("The work ended its transaction itself, or left another one behind."
                    + " It must not begin, commit or roll back: that is what inTransaction is for.");
        }
    }

    static RollbackException timedOut() {
        return new RollbackException(
                "The transaction manager rolled the transaction back while the work was running, most likely"
                        + " for its time-out; nothing is stored.");
    }

    /** Of a commit that returned. */
    boolean isCommitted() {
        End told = end;
        return told == null || told.status() == Status.STATUS_COMMITTED;
    }

    /** What a commit that threw has come to. */
    RuntimeException failure(@Nullable String operationId, Throwable error) {
        if (!beforeIsOver) {
            RollbackException e = new RollbackException(
                    "The transaction was refused before its COMMIT was sent (by a flush, another synchronization, a mark for"
                            + " rollback or the time-out); it was rolled back and nothing is stored.",
                    error);
            return SqlErrors.isLockFailure(e) ? SqlErrors.retryable(operationId, e) : e;
        }
        if (error instanceof jakarta.transaction.RollbackException && SqlErrors.areAllRollbackAnswers(error)) {
            return SqlErrors.retryable(operationId, error);
        }
        return unconfirmed(operationId, error);
    }

    static OutboxException unconfirmed(@Nullable String operationId, Throwable cause) {
        return CommitProbe.unconfirmed(operationId, cause);
    }
}
