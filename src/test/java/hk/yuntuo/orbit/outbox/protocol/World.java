package hk.yuntuo.orbit.outbox.protocol;

import java.util.Collections;
import java.util.List;

/** One state of everything: the operations, which include what the senders know. */
record World(List<Operation> operations) {
    static World initial(int operations, int senders) {
        return new World(Collections.nCopies(operations, Operation.absent(senders)));
    }

    Operation operation(int index) {
        return operations.get(index);
    }

    World with(int index, Operation operation) {
        if (operation == operation(index)) {
            return this;
        }
        Operation[] changed = operations.toArray(new Operation[0]);
        changed[index] = operation;
        return new World(List.of(changed));
    }

    boolean isAtItsEnd() {
        return operations.stream().allMatch(Operation::isAtItsEnd);
    }
}
