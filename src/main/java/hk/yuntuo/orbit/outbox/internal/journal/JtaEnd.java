package hk.yuntuo.orbit.outbox.internal.journal;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a journal of the end of its JTA transaction, which Hibernate does not always do: it keeps a rollback by a thread of the transaction
 * manager to itself until the session is used again, tells nobody after a synchronization that fails and takes no part in the
 * session's later transactions then, and forgets a session that was closed.
 */
final class JtaEnd implements Synchronization {
    private static final Logger LOG = LoggerFactory.getLogger(JtaEnd.class);

    private final TransactionJournal journal;
    private final JtaPlatform platform;
    private final boolean isLast;

    private JtaEnd(TransactionJournal journal, JtaPlatform platform, boolean isLast) {
        this.journal = journal;
        this.platform = platform;
        this.isLast = isLast;
    }

    static void tell(TransactionJournal journal, JtaPlatform platform) {
        try {
            platform.registerSynchronization(new JtaEnd(journal, platform, false));
        } catch (RuntimeException e) {
            // Late within the commit, or after a mark for rollback, none is taken; what Hibernate tells must do.
            LOG.debug("outbox.journal.unregistered {}", e.toString());
        }
    }

    /** After Hibernate's flush where callbacks follow the order of registration. Where they do not, a second one does. */
    @Override
    public void beforeCompletion() {
        if (!journal.lacksFlush()) {
            return;
        }
        if (isLast) {
            throw new IllegalStateException(
                    "Hibernate did not flush what was persisted in this JTA transaction: its session was"
                            + " closed, or a synchronization failed at the end of an earlier transaction of the session. The"
                            + " transaction is rolled back. Use a new EntityManager.");
        }
        platform.registerSynchronization(new JtaEnd(journal, platform, true));
    }

    /** On any thread. */
    @Override
    public void afterCompletion(int status) {
        journal.over(status == Status.STATUS_COMMITTED);
    }
}
