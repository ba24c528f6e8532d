package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.internal.rules.Limits;
import hk.yuntuo.orbit.outbox.internal.rules.Outcome;
import hk.yuntuo.orbit.outbox.internal.rules.Settlement;
import hk.yuntuo.orbit.outbox.internal.rules.SettlementRules;
import hk.yuntuo.orbit.outbox.internal.rules.TimeBudget;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import java.time.Duration;
import java.time.Instant;

/** Asks the library's own rules, in their own types. The model itself decides nothing. */
final class Decisions {
    static final String FOREIGN_TASK = "task-of-another";
    private static final String FOREIGN_KEY = "outbox-task-of-another";
    private static final Instant ENQUEUED = Instant.parse("2026-03-29T02:30:00Z");
    private static final Instant DEADLINE = ENQUEUED.plus(Duration.ofHours(24));

    private Decisions() {}

    static boolean budgetIsSpent(Command due) {
        Instant now = due.pastDeadline() ? DEADLINE : ENQUEUED.plusSeconds(1);
        OutboxRecord row = row(due.state(), due.sendCount(), due.leaseEpoch(), 0);
        return SettlementRules.spentBudget(row, now).isPresent();
    }

    /** Within its lease a sender may be early or late; past it, it is late for certain. */
    static boolean maySend(boolean pastLease, boolean pastDeadline) {
        Duration elapsed = pastLease ? Limits.LEASE : Duration.ofSeconds(1);
        Duration untilDeadline = pastDeadline ? elapsed : Duration.ofHours(24);
        return TimeBudget.exchange(elapsed, untilDeadline).toMillis() >= 1;
    }

    static Delivery.Decided failed(Delivery.Claim claim, ResultCode code) {
        return decided(claim, 0, new Outcome.Failed(code, null));
    }

    static Delivery.Decided answered(Delivery.Claim claim, int key, String taskId) {
        return decided(claim, key, receipt(taskId, key(key)));
    }

    static Delivery.Decided answeredWithAnothers(Delivery.Claim claim, int key, boolean keyIsKept) {
        return decided(claim, key, receipt(FOREIGN_TASK, keyIsKept ? FOREIGN_KEY : key(key)));
    }

    private static Delivery.Decided decided(Delivery.Claim claim, int key, Outcome outcome) {
        OutboxRecord row = row(OutboxState.SENDING, claim.sendCount(), claim.epoch(), key);
        Settlement settlement = SettlementRules.settle(row, outcome, 0);
        return new Delivery.Decided(claim.epoch(), claim.sendCount(), settlement.state(), settlement.taskId());
    }

    private static Outcome receipt(String taskId, String key) {
        return new Outcome.Answered(new SubmitTaskResult(taskId, "ns-1", "queue-1", key, false, ENQUEUED, "{}"));
    }

    private static String key(int key) {
        return "outbox-task-" + key;
    }

    private static OutboxRecord row(OutboxState state, int sendCount, int epoch, int key) {
        return new OutboxRecord(
                "ns-1",
                "0".repeat(32),
                "queue-1",
                key(key),
                "0".repeat(64),
                state,
                sendCount,
                epoch,
                ENQUEUED,
                DEADLINE,
                null,
                null,
                null,
                ENQUEUED,
                ENQUEUED,
                null);
    }
}
