package hk.yuntuo.orbit.outbox.internal.store;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import org.hibernate.HibernateException;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;

/**
 * The JTA transactions of the calling thread, by the platform's TransactionManager, or by its UserTransaction if it shows no
 * TransactionManager.
 */
abstract class JtaThread {
    private JtaThread() {}

    static JtaThread of(JtaPlatform platform) {
        TransactionManager manager = transactionManager(platform);
        if (manager != null) {
            return new ByManager(manager);
        }
        UserTransaction user = platform.retrieveUserTransaction();
        if (user == null) {
            throw new IllegalStateException("The JTA platform of this persistence unit ("
                    + platform.getClass().getName() + ") has neither a TransactionManager nor a UserTransaction:"
                    + " set hibernate.transaction.jta.platform.");
        }
        return new ByUserTransaction(user);
    }

    private static @Nullable TransactionManager transactionManager(JtaPlatform platform) {
        try {
            return platform.retrieveTransactionManager();
        } catch (HibernateException e) {
            return null; // Where it cannot be looked up, there may be a UserTransaction.
        }
    }

    /** Takes the caller's transaction off the thread, if there is one. */
    abstract @Nullable Transaction setAside() throws SystemException;

    abstract void takeUp(Transaction setAside) throws InvalidTransactionException, SystemException;

    abstract void begin() throws NotSupportedException, SystemException;

    /** Whether the transaction that was begun is the one on the thread. */
    abstract boolean isOnItsTransaction() throws SystemException;

    abstract int status() throws SystemException;

    abstract void commit()
            throws RollbackException, HeuristicMixedException, HeuristicRollbackException, SystemException;

    /** Rolls back whatever is left of the transaction that was begun, and leaves the thread without one. */
    abstract void rollback(Throwable reason);

    private static void attempt(Throwable reason, Step step) {
        try {
            step.run();
        } catch (Exception e) {
            if (e != reason) {
                reason.addSuppressed(e);
            }
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws Exception;
    }

    private static final class ByManager extends JtaThread {
        private final TransactionManager manager;
        private @Nullable Transaction begun;

        ByManager(TransactionManager manager) {
            this.manager = manager;
        }

        @Override
        @Nullable
        Transaction setAside() throws SystemException {
            return manager.suspend();
        }

        @Override
        void takeUp(Transaction setAside) throws InvalidTransactionException, SystemException {
            manager.resume(setAside);
        }

        @Override
        void begin() throws NotSupportedException, SystemException {
            manager.begin();
            begun = manager.getTransaction();
        }

        @Override
        boolean isOnItsTransaction() throws SystemException {
            return begun != null && begun.equals(manager.getTransaction());
        }

        @Override
        int status() throws SystemException {
            return manager.getStatus();
        }

        @Override
        void commit() throws RollbackException, HeuristicMixedException, HeuristicRollbackException, SystemException {
            manager.commit();
        }

        /** A pool may refuse to roll back a transaction that is not on the thread. */
        @Override
        void rollback(Throwable reason) {
            attempt(reason, this::rollbackOnThread);
            attempt(reason, manager::suspend);
            attempt(reason, () -> {
                if (begun != null && isUnfinished(begun.getStatus())) {
                    manager.resume(begun);
                    manager.rollback();
                }
            });
        }

        private void rollbackOnThread() throws SystemException {
            if (manager.getStatus() != Status.STATUS_NO_TRANSACTION) {
                manager.rollback();
            }
        }

        private static boolean isUnfinished(int status) {
            return status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK;
        }
    }

    private static final class ByUserTransaction extends JtaThread {
        private final UserTransaction user;

        ByUserTransaction(UserTransaction user) {
            this.user = user;
        }

        @Override
        @Nullable
        Transaction setAside() throws SystemException {
            if (user.getStatus() != Status.STATUS_NO_TRANSACTION) {
                throw new IllegalStateException(
                        "This call needs a transaction of its own, and the caller's JTA transaction"
                                + " cannot be suspended: this JTA platform shows a UserTransaction only. Call it outside a"
                                + " transaction.");
            }
            return null;
        }

        @Override
        void takeUp(Transaction setAside) {
            throw new IllegalStateException("nothing was set aside");
        }

        @Override
        void begin() throws NotSupportedException, SystemException {
            user.begin();
        }

        @Override
        boolean isOnItsTransaction() throws SystemException {
            return user.getStatus() != Status.STATUS_NO_TRANSACTION;
        }

        @Override
        int status() throws SystemException {
            return user.getStatus();
        }

        @Override
        void commit() throws RollbackException, HeuristicMixedException, HeuristicRollbackException, SystemException {
            user.commit();
        }

        @Override
        void rollback(Throwable reason) {
            attempt(reason, () -> {
                if (user.getStatus() != Status.STATUS_NO_TRANSACTION) {
                    user.rollback();
                }
            });
        }
    }
}
