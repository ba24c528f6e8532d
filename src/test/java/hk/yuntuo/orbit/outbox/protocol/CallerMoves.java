package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.protocol.Operation.Business;
import hk.yuntuo.orbit.outbox.protocol.Step.Commit;
import hk.yuntuo.orbit.outbox.protocol.Step.Heard;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A caller's business transactions with one operation id. They run again at any time: after a rollback, after a COMMIT without an
 * answer, and after a success. What a caller heard is therefore no part of the state; whether it was true is checked as it hears it.
 */
record CallerMoves(Set<Fence> fences, int claimsBefore) {
    List<Move> from(int index, Operation operation) {
        List<Move> moves = new ArrayList<>();
        switch (operation.business()) {
            case ABSENT -> moves.add(new Move(new Step.Begin(index), begun(operation)));
            case OPEN -> {
                moves.add(new Move(new Step.RollBack(index), operation.with(Business.ABSENT)));
                for (Commit commit : Commit.values()) {
                    moves.add(commit(index, operation, commit));
                }
            }
            case COMMITTED -> moves.add(new Move(new Step.RunAgain(index), inserted(operation)));
        }
        return moves;
    }

    private Operation begun(Operation operation) {
        Operation open = operation.with(Business.OPEN);
        return fences.contains(Fence.COMMAND_IN_BUSINESS_TRANSACTION) ? open : inserted(open);
    }

    private Move commit(int index, Operation operation, Commit commit) {
        Heard unanswered = fences.contains(Fence.UNANSWERED_COMMIT_IS_UNKNOWN) ? Heard.UNKNOWN : Heard.ROLLED_BACK;
        Step step = new Step.CommitBusiness(index, commit, commit == Commit.ANSWERED ? Heard.COMMITTED : unanswered);
        if (!commit.isDone()) {
            return new Move(step, operation.with(Business.ABSENT));
        }
        Operation committed = operation.with(Business.COMMITTED);
        return new Move(step, fences.contains(Fence.COMMAND_IN_BUSINESS_TRANSACTION) ? inserted(committed) : committed);
    }

    /** Statement INSERT. Error 1062 makes it a duplicate, which changes nothing. */
    private Operation inserted(Operation operation) {
        if (operation.command() == null) {
            return operation.with(1, Command.enqueued(claimsBefore));
        }
        return fences.contains(Fence.PRIMARY_KEY) ? operation : operation.with(2, operation.command());
    }
}
