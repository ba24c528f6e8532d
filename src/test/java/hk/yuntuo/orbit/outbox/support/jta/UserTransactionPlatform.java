package hk.yuntuo.orbit.outbox.support.jta;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;

/** Narayana as a platform would show it that keeps its TransactionManager to itself. */
@SuppressWarnings("serial")
public final class UserTransactionPlatform implements JtaPlatform {
    @Override
    public @Nullable TransactionManager retrieveTransactionManager() {
        return null;
    }

    @Override
    public UserTransaction retrieveUserTransaction() {
        return com.arjuna.ats.jta.UserTransaction.userTransaction();
    }

    @Override
    public Object getTransactionIdentifier(Transaction transaction) {
        return transaction;
    }

    @Override
    public boolean canRegisterSynchronization() {
        return getCurrentStatus() == Status.STATUS_ACTIVE;
    }

    @Override
    public void registerSynchronization(Synchronization synchronization) {
        Narayana.registry().registerInterposedSynchronization(synchronization);
    }

    @Override
    public int getCurrentStatus() {
        return Narayana.registry().getTransactionStatus();
    }
}
