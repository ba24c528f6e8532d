package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.spi.CommitOutcome;
import jakarta.persistence.EntityManager;
import org.jspecify.annotations.Nullable;

/** Watches how one resource-local transaction ends, to tell a COMMIT without an answer from one that was never sent or was refused. */
final class CommitProbe {
    private @Nullable CommitOutcome outcome;

    private CommitProbe() {}

    static CommitProbe on(EntityManager em) {
        CommitProbe probe = new CommitProbe();
        CommitOutcome.observe(em, outcome -> probe.outcome = outcome);
        return probe;
    }

    /** Whether the commit that threw this error may have committed. */
    boolean unanswered(Exception error) {
        return outcome == CommitOutcome.UNKNOWN && !SqlErrors.isRollbackAnswer(error);
    }

    static CommitUnconfirmedException unconfirmed(@Nullable String operationId, Exception cause) {
        return new CommitUnconfirmedException(
                "The COMMIT" + (operationId == null ? "" : " for operation " + operationId)
                        + " got no answer (" + SqlErrors.describe(cause) + "): it may or may not have committed."
                        + " Run the same transaction again with the same operation id, or ask Outbox.resolve.",
                operationId,
                cause);
    }
}
