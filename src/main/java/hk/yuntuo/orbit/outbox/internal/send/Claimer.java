package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.internal.rules.Limits;
import hk.yuntuo.orbit.outbox.internal.rules.SettlementRules;
import hk.yuntuo.orbit.outbox.internal.store.Deadline;
import hk.yuntuo.orbit.outbox.internal.store.DueRow;
import hk.yuntuo.orbit.outbox.internal.store.OutboxStore;
import hk.yuntuo.orbit.outbox.internal.store.ShortTransactions;
import hk.yuntuo.orbit.outbox.internal.store.Unit;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes due rows under a lease, in one short transaction; rows whose budget is spent go to REVIEW instead. */
public final class Claimer {
    private static final Logger LOG = LoggerFactory.getLogger(Claimer.class);

    private final ShortTransactions transactions;
    private final OutboxStore store;

    public Claimer(ShortTransactions transactions, OutboxStore store) {
        this.transactions = transactions;
        this.store = store;
    }

    /**
     * What a claim took.
     *
     * @param claims rows to deliver
     * @param reviewed rows that were ended for their budget
     */
    record Batch(List<Claim> claims, List<OutboxRecord> reviewed) {
        boolean isEmpty() {
            return claims.isEmpty() && reviewed.isEmpty();
        }
    }

    Batch claim(int limit) {
        Batch batch = transactions.run(null, unit -> claim(unit, limit));
        batch.reviewed().forEach(row -> Log.settled(LOG, row));
        return batch;
    }

    /** The stopwatch starts before the database reads its clock, and after the wait for a connection, which is nobody's send. */
    private Batch claim(Unit unit, int limit) throws SQLException {
        Deadline sinceBefore = Deadline.in(Limits.LEASE);
        Batch batch = new Batch(new ArrayList<>(), new ArrayList<>());
        List<DueRow> toLease = new ArrayList<>();
        for (DueRow row : store.lockDue(unit.connection(), limit)) {
            Optional<ResultCode> spent = SettlementRules.spentBudget(row.record(), row.now());
            if (spent.isPresent()) {
                store.reviewUnsent(unit.connection(), row, spent.get());
                batch.reviewed().add(reviewed(row, spent.get()));
            } else {
                toLease.add(row);
                batch.claims().add(new Claim(leased(row), row.document(), row.now(), sinceBefore));
            }
        }
        store.lease(unit.connection(), toLease);
        return batch;
    }

    private static OutboxRecord leased(DueRow row) {
        OutboxRecord r = row.record();
        return new OutboxRecord(
                r.namespaceId(),
                r.operationId(),
                r.queueId(),
                r.submissionKey(),
                r.requestSha256(),
                OutboxState.SENDING,
                r.sendCount() + 1,
                r.leaseEpoch() + 1,
                row.now().plus(Limits.LEASE),
                r.sendDeadlineAt(),
                r.resultCode(),
                null,
                null,
                r.createdAt(),
                row.now(),
                null);
    }

    private static OutboxRecord reviewed(DueRow row, ResultCode code) {
        OutboxRecord r = row.record();
        Instant now = row.now();
        return new OutboxRecord(
                r.namespaceId(),
                r.operationId(),
                r.queueId(),
                r.submissionKey(),
                r.requestSha256(),
                OutboxState.REVIEW,
                r.sendCount(),
                r.leaseEpoch(),
                null,
                r.sendDeadlineAt(),
                code,
                null,
                null,
                r.createdAt(),
                now,
                now);
    }
}
