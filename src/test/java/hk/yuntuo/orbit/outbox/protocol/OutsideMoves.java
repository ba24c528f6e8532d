package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Time, the network and the platform: what happens to an operation without its callers and senders. */
record OutsideMoves(Set<Fence> fences) {
    private static final Set<ResultCode> REFUSALS = EnumSet.of(
            ResultCode.UNCONFIRMED,
            ResultCode.BACKPRESSURE,
            ResultCode.AUTHORIZATION,
            ResultCode.IDEMPOTENCY_CONFLICT,
            ResultCode.HTTP_REJECTED);

    List<Move> from(int index, Operation operation) {
        List<Move> moves = new ArrayList<>();
        Command command = operation.command();
        if (command != null && !command.isSettled()) {
            if (!command.due()) {
                moves.add(new Move(new Step.Due(index), operation.with(command.dueNow())));
            }
            if (!command.pastDeadline()) {
                moves.add(new Move(new Step.DeadlinePasses(index), operation.with(command.deadlinePassed())));
            }
        }
        for (int epoch : operation.strays()) {
            moves.add(new Move(
                    new Step.TakeStray(index, epoch),
                    taken(operation, key(epoch)).withoutStray(epoch)));
        }
        for (int sender = 0; sender < operation.deliveries().size(); sender++) {
            answers(index, operation, sender, moves);
        }
        return moves;
    }

    /** A lost answer is the sender's step: it stops waiting. */
    private void answers(int index, Operation operation, int sender, List<Move> moves) {
        Delivery delivery = operation.delivery(sender);
        if (delivery instanceof Delivery.Sent sent) {
            int key = key(sent.epoch());
            Operation taken = taken(operation, key);
            Delivery answer = new Delivery.Taken(sent.epoch(), sent.sendCount(), task(taken, key));
            moves.add(new Move(new Step.Take(sender, index), taken.with(sender, answer)));
            for (ResultCode code : REFUSALS) {
                moves.add(new Move(
                        new Step.Refuse(sender, index, code), operation.with(sender, Decisions.failed(sent, code))));
            }
        } else if (delivery instanceof Delivery.Taken taken) {
            int key = key(taken.epoch());
            boolean compared = fences.contains(Fence.RECEIPT_NAMES_ITS_KEY);
            moves.add(new Move(
                    new Step.Receive(sender, index, false),
                    operation.with(sender, Decisions.answered(taken, key, taken.taskId()))));
            moves.add(new Move(
                    new Step.Receive(sender, index, true),
                    operation.with(sender, Decisions.answeredWithAnothers(taken, key, compared))));
        }
    }

    private int key(int epoch) {
        return fences.contains(Fence.ONE_KEY) ? 0 : epoch;
    }

    /** Without deduplication, a third task is as wrong as a second and is not followed. */
    private Operation taken(Operation operation, int key) {
        boolean known = operation.tasks().contains(key);
        if (known
                && (fences.contains(Fence.PLATFORM_DEDUPLICATES)
                        || operation.tasks().size() > 1)) {
            return operation;
        }
        return operation.withTask(key);
    }

    private static String task(Operation taken, int key) {
        return "task-" + (taken.tasks().lastIndexOf(key) + 1);
    }
}
