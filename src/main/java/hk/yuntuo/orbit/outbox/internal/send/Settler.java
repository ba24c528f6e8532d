package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.internal.rules.Limits;
import hk.yuntuo.orbit.outbox.internal.rules.Outcome;
import hk.yuntuo.orbit.outbox.internal.rules.Settlement;
import hk.yuntuo.orbit.outbox.internal.rules.SettlementRules;
import hk.yuntuo.orbit.outbox.internal.store.OutboxStore;
import hk.yuntuo.orbit.outbox.internal.store.ShortTransactions;
import hk.yuntuo.orbit.outbox.internal.store.SqlErrors;
import hk.yuntuo.orbit.outbox.internal.store.Unit;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.LeaseLostException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records how a delivery ended: first the fenced UPDATE, then, for an acceptance, the application's callback, then the COMMIT. */
public final class Settler {
    private static final Logger LOG = LoggerFactory.getLogger(Settler.class);

    private final ShortTransactions transactions;
    private final OutboxStore store;
    private final @Nullable OnAccepted onAccepted;

    public Settler(ShortTransactions transactions, OutboxStore store, @Nullable OnAccepted onAccepted) {
        this.transactions = transactions;
        this.store = store;
        this.onAccepted = onAccepted;
    }

    /** Returns the row as it was committed. */
    OutboxRecord settle(OutboxRecord claimed, Outcome outcome) {
        int jitter = ThreadLocalRandom.current().nextInt(Limits.JITTER_MILLIS);
        Settlement settlement = SettlementRules.settle(claimed, outcome, jitter);
        OutboxRecord settled = transactions.run(claimed.operationId(), unit -> {
            if (!store.settle(unit.connection(), claimed, settlement)) {
                throw leaseLost(claimed);
            }
            if (outcome instanceof Outcome.Answered answered && settlement.taskId() != null && onAccepted != null) {
                accepted(onAccepted, unit, claimed, answered);
            }
            return settledRow(unit, claimed, settlement);
        });
        Log.settled(LOG, settled);
        return settled;
    }

    private static void accepted(OnAccepted callback, Unit unit, OutboxRecord claimed, Outcome.Answered answered)
            throws SQLException {
        EntityManager em = unit.entityManager();
        try {
            callback.accepted(GuardedSession.of(unit), claimed, answered.receipt());
            if (em.getTransaction().getRollbackOnly()) {
                throw new IllegalStateException("the callback left the transaction marked for rollback");
            }
            em.flush();
            unit.requireTime();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            // Throwable: code of a language without checked exceptions throws them all the same.
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (SqlErrors.isLockFailure(e)) {
                throw SqlErrors.retryable(claimed.operationId(), e);
            }
            throw new AcceptanceException(
                    "The callback for the acceptance of operation " + claimed.operationId()
                            + " failed; the confirmation was rolled back and is tried again after the lease.",
                    claimed.operationId(),
                    e);
        }
    }

    /** Reads the row back, which also shows whether the callback ended the transaction by SQL of its own. */
    private OutboxRecord settledRow(Unit unit, OutboxRecord claimed, Settlement settlement) throws SQLException {
        return store.status(unit.connection(), claimed.operationId())
                .filter(row -> row.state() == settlement.state() && row.leaseEpoch() == claimed.leaseEpoch())
                .orElseThrow(() -> new AcceptanceException(
                        "The settlement of operation " + claimed.operationId()
                                + " is gone from its own transaction: the callback rolled it back by SQL of its own.",
                        claimed.operationId(),
                        null));
    }

    private static LeaseLostException leaseLost(OutboxRecord claimed) {
        return new LeaseLostException(
                "The lease of operation " + claimed.operationId() + " with epoch " + claimed.leaseEpoch()
                        + " is over: another sender has taken the row or it is settled. This result was not recorded.",
                claimed.operationId(),
                null);
    }
}
