package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.internal.rules.Limits;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.protocol.Step.Commit;
import hk.yuntuo.orbit.outbox.protocol.Step.SettleEnd;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What a sender does with one operation. A stalled sender is one whose next step comes late. */
record SenderMoves(Set<Fence> fences) {
    private static final Set<ResultCode> UNSENT = EnumSet.of(
            ResultCode.UNCONFIRMED, ResultCode.AUTHORIZATION, ResultCode.INVALID_DOCUMENT, ResultCode.TARGET_MISMATCH);

    /** Statement CLAIM. A sender that still works on the row does not lease it again; a row past its budget it does review. */
    boolean canClaim(Operation operation, int sender) {
        Command command = operation.command();
        if (command == null || command.isSettled() || command.sendCount() > Limits.MAX_CLAIMS) {
            return false;
        }
        boolean due = command.due() || !fences.contains(Fence.CLAIM_WAITS_FOR_DUE);
        boolean inReach = fences.contains(Fence.CLAIM_TAKES_OVER) || command.state() == OutboxState.PENDING;
        boolean free = operation.isIdle(sender) || isSpent(command);
        return due && inReach && free;
    }

    Operation claimed(Operation operation, int sender, Commit commit) {
        Command before = operation.row();
        if (isSpent(before)) {
            return commit.isDone() ? operation.with(before.reviewedUnsent()) : operation;
        }
        Command leased = before.leased(fences.contains(Fence.CLAIM_RAISES_THE_EPOCH));
        Operation stored = commit.isDone() ? operation.with(leased) : operation;
        boolean used = commit == Commit.ANSWERED || !fences.contains(Fence.UNANSWERED_CLAIM_IS_NOT_USED);
        return used ? stored.with(sender, new Delivery.Claimed(leased.leaseEpoch(), leased.sendCount())) : stored;
    }

    private boolean isSpent(Command command) {
        return fences.contains(Fence.CLAIM_ASKS_FOR_THE_BUDGET) && Decisions.budgetIsSpent(command);
    }

    /** All but the claim and the crash, which are about several operations at once. */
    List<Move> from(int index, Operation operation, int sender) {
        List<Move> moves = new ArrayList<>();
        Delivery delivery = operation.delivery(sender);
        if (delivery instanceof Delivery.Claimed claimed) {
            begin(index, operation, sender, claimed, moves);
        } else if (delivery instanceof Delivery.Sent sent) {
            Operation unanswered = operation.with(sender, Decisions.failed(sent, ResultCode.UNCONFIRMED));
            moves.add(new Move(new Step.LoseAnswer(sender, index), unanswered.withStray(sent.epoch())));
        } else if (delivery instanceof Delivery.Taken taken) {
            Operation unanswered = operation.with(sender, Decisions.failed(taken, ResultCode.UNCONFIRMED));
            moves.add(new Move(new Step.LoseAnswer(sender, index), unanswered));
        } else if (delivery instanceof Delivery.Decided decided) {
            for (SettleEnd end : ends(operation.row(), decided)) {
                moves.add(new Move(new Step.Settle(sender, index, end), settled(operation, sender, decided, end)));
            }
        }
        return moves;
    }

    Operation crashed(Operation operation, int sender) {
        if (operation.isIdle(sender)) {
            return operation;
        }
        Operation forgotten = operation.with(sender, Delivery.NOTHING);
        return operation.delivery(sender) instanceof Delivery.Sent sent ? forgotten.withStray(sent.epoch()) : forgotten;
    }

    private void begin(int index, Operation operation, int sender, Delivery.Claimed claimed, List<Move> moves) {
        for (ResultCode code : UNSENT) {
            moves.add(new Move(
                    new Step.NotSent(sender, index, code), operation.with(sender, Decisions.failed(claimed, code))));
        }
        boolean inTime = Decisions.maySend(
                operation.isPastItsLease(claimed), operation.row().pastDeadline());
        if (inTime || !fences.contains(Fence.SEND_ASKS_FOR_THE_TIME)) {
            Delivery sent = new Delivery.Sent(claimed.epoch(), claimed.sendCount());
            moves.add(new Move(new Step.Send(sender, index), operation.with(sender, sent)));
        }
    }

    private Set<SettleEnd> ends(Command command, Delivery.Decided decided) {
        if (!changesTheRow(command, decided)) {
            return EnumSet.of(SettleEnd.LEASE_LOST);
        }
        Set<SettleEnd> ends = EnumSet.of(SettleEnd.ANSWERED, SettleEnd.LOST_BUT_DONE, SettleEnd.LOST_AND_UNDONE);
        if (decided.next() == OutboxState.ACCEPTED) {
            ends.add(SettleEnd.CALLBACK_FAILED);
        }
        return ends;
    }

    /** Statement SETTLE. */
    private boolean changesTheRow(Command command, Delivery.Decided decided) {
        boolean state = command.state() == OutboxState.SENDING || !fences.contains(Fence.SETTLE_CHECKS_THE_STATE);
        boolean epoch = command.leaseEpoch() == decided.epoch() || !fences.contains(Fence.SETTLE_CHECKS_THE_EPOCH);
        return state && epoch;
    }

    private Operation settled(Operation operation, int sender, Delivery.Decided decided, SettleEnd end) {
        Command stored = operation.row();
        boolean done = end == SettleEnd.ANSWERED || end == SettleEnd.LOST_BUT_DONE;
        if (done) {
            stored = stored.settled(decided);
        }
        boolean called = decided.next() == OutboxState.ACCEPTED
                && end != SettleEnd.LEASE_LOST
                && end != SettleEnd.CALLBACK_FAILED;
        if (called && (done || !fences.contains(Fence.CALLBACK_IN_SETTLEMENT))) {
            stored = stored.linked();
        }
        boolean unanswered = end == SettleEnd.LOST_BUT_DONE || end == SettleEnd.LOST_AND_UNDONE;
        boolean again = unanswered && !fences.contains(Fence.UNANSWERED_SETTLEMENT_IS_LEFT);
        return operation.with(stored).with(sender, again ? decided : Delivery.NOTHING);
    }
}
