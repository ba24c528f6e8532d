package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.spi.CommitOutcome;
import jakarta.persistence.EntityManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches how one resource-local transaction ends, to tell a COMMIT without an answer from one that was never sent or was refused. */
final class CommitProbe {
    private static final Logger LOG = LoggerFactory.getLogger(CommitProbe.class);

    private @Nullable CommitOutcome outcome;

    private CommitProbe() {}

    /** To be called first thing in the transaction: Hibernate tells no other synchronization after one that throws. */
    static CommitProbe on(EntityManager em) {
        CommitProbe probe = new CommitProbe();
        CommitOutcome.observe(em, outcome -> probe.outcome = outcome);
        return probe;
    }

    /** Whether the database confirmed the commit, whatever was thrown afterwards. */
    boolean committed(@Nullable String operationId, Throwable error) {
        if (isCommitted()) {
            LOG.warn(
                    "outbox.commit.disturbed operation={} it is committed; something after the commit failed: {}",
                    operationId,
                    error.toString());
            return true;
        }
        return false;
    }

    /** Work that ends its transaction itself has left nothing to tell the truth about. */
    void requireNotOver() {
        if (outcome != null) {
            throw new IllegalStateException("The work ended its transaction itself (" + outcome
                    + "). It must not begin, commit or roll back: that is what inTransaction is for.");
        }
    }

    boolean isCommitted() {
        return outcome == CommitOutcome.COMMITTED;
    }

    /** Whether the commit that threw this error may have committed. */
    boolean unanswered(Throwable error) {
        return outcome == CommitOutcome.UNKNOWN && !SqlErrors.isRollbackAnswer(error);
    }

    static CommitUnconfirmedException unconfirmed(@Nullable String operationId, Throwable cause) {
        return new CommitUnconfirmedException(
                "The COMMIT" + (operationId == null ? "" : " for operation " + operationId)
                        + " got no answer (" + SqlErrors.describe(cause) + "): it may or may not have committed."
                        + " Run the same transaction again with the same operation id, or ask Outbox.resolve.",
                operationId,
                cause);
    }
}
