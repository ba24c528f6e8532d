package hk.yuntuo.orbit.outbox.spi;

import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.util.function.Consumer;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is known of the end of a transaction. */
public enum CommitOutcome {
    /** The database confirmed the COMMIT. */
    COMMITTED,
    /** The transaction was rolled back; its COMMIT was never sent. */
    ROLLED_BACK,
    /** The COMMIT was sent and failed: the transaction may or may not have committed. */
    UNKNOWN;

    private static final Logger LOG = LoggerFactory.getLogger(CommitOutcome.class);
    /** Hibernate's status for a resource-local transaction that failed before its COMMIT was sent, and was rolled back. */
    private static final int FAILED_BEFORE_COMMIT = 102;

    /**
     * Reports how the active transaction of a resource-local EntityManager ends, on the thread that ends it: once, or not at all if the
     * connection died before the end or the EntityManager was closed with the transaction open, neither of which commits. For callers that
     * manage their transactions themselves; {@link OutboxTransactions} does it for the others.
     *
     * @param em an EntityManager with an active resource-local transaction
     * @param observer told the outcome after completion; what it throws is logged and goes no further, since the transaction has ended
     * @throws IllegalStateException if there is no active transaction, or it is a JTA transaction, whose reported end can be wrong
     */
    public static void observe(EntityManager em, Consumer<CommitOutcome> observer) {
        SharedSessionContractImplementor session = em.unwrap(SharedSessionContractImplementor.class);
        if (!session.isTransactionInProgress()) {
            throw new IllegalStateException("CommitOutcome.observe needs an active transaction");
        }
        if (session.getTransactionCoordinator()
                .getTransactionCoordinatorBuilder()
                .isJta()) {
            throw new IllegalStateException("CommitOutcome.observe is for resource-local transactions");
        }
        session.getTransactionCoordinator().getLocalSynchronizations().registerSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                try {
                    observer.accept(ofStatus(status));
                } catch (RuntimeException | Error e) {
                    LOG.warn("outbox.observer.failed outcome={}", ofStatus(status), e);
                }
            }
        });
    }

    private static CommitOutcome ofStatus(int status) {
        return switch (status) {
            case Status.STATUS_COMMITTED -> COMMITTED;
            case Status.STATUS_ROLLEDBACK, FAILED_BEFORE_COMMIT -> ROLLED_BACK;
            default -> UNKNOWN;
        };
    }
}
