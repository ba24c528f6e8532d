package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All there is of one operation, in the database, at the platform, on the network and in the senders' memories. It does not say which
 * operation it is, so that two that are in the same state are equal.
 *
 * @param business the business transaction; a rolled back one was never there
 * @param commands how many committed rows of {@code sender_outbox} it has
 * @param command the first of them, if any
 * @param tasks the keys under which the platform has made tasks for it, in order; the n-th is {@code task-n}
 * @param strays the epochs of requests that nobody waits for any more and that may still arrive
 * @param deliveries what each sender has in its memory
 */
record Operation(
        Business business,
        int commands,
        @Nullable Command command,
        List<Integer> tasks,
        List<Integer> strays,
        List<Delivery> deliveries) {

    /** A business transaction: not there, open, committed. */
    enum Business {
        ABSENT,
        OPEN,
        COMMITTED
    }

    static Operation absent(int senders) {
        return new Operation(
                Business.ABSENT, 0, null, List.of(), List.of(), Collections.nCopies(senders, Delivery.NOTHING));
    }

    boolean isCommitted() {
        return business == Business.COMMITTED;
    }

    /** Stuck or not, this is where a committed operation must be able to get to. */
    boolean isAtItsEnd() {
        return !isCommitted() || command != null && command.isSettled();
    }

    Delivery delivery(int sender) {
        return deliveries.get(sender);
    }

    boolean isIdle(int sender) {
        return delivery(sender) instanceof Delivery.Nothing;
    }

    /** The row, of an operation that has one. */
    Command row() {
        return Objects.requireNonNull(command);
    }

    /** Whether this claim holds the row: it is the latest, and its lease is running. */
    boolean isUnderLease(Delivery.Claim claim) {
        Command row = row();
        return row.leaseEpoch() == claim.epoch() && row.state() == OutboxState.SENDING && !row.due();
    }

    /** What a claim's own stopwatch can tell of that: it never says too early that the lease is over, and knows of no COMMIT. */
    boolean isPastItsLease(Delivery.Claim claim) {
        return row().leaseEpoch() >= claim.epoch() && !isUnderLease(claim);
    }

    Operation with(Business next) {
        return new Operation(next, commands, command, tasks, strays, deliveries);
    }

    Operation with(int count, Command stored) {
        return new Operation(business, count, stored, tasks, strays, deliveries);
    }

    Operation with(Command stored) {
        return with(commands, stored);
    }

    Operation with(int sender, Delivery delivery) {
        List<Delivery> changed = new ArrayList<>(deliveries);
        changed.set(sender, delivery);
        return new Operation(business, commands, command, tasks, strays, List.copyOf(changed));
    }

    Operation withTask(int key) {
        List<Integer> more = Stream.concat(tasks.stream(), Stream.of(key)).toList();
        return new Operation(business, commands, command, more, strays, deliveries);
    }

    Operation withStray(int epoch) {
        List<Integer> more =
                Stream.concat(strays.stream(), Stream.of(epoch)).sorted().toList();
        return new Operation(business, commands, command, tasks, more, deliveries);
    }

    Operation withoutStray(int epoch) {
        List<Integer> fewer = strays.stream().filter(stray -> stray != epoch).toList();
        return new Operation(business, commands, command, tasks, fewer, deliveries);
    }

    Operation withSenders(List<Integer> order) {
        List<Delivery> ordered = order.stream().map(deliveries::get).toList();
        return new Operation(business, commands, command, tasks, strays, ordered);
    }

    @Override
    public String toString() {
        String row =
                command == null ? "no row" : commands == 1 ? command.toString() : commands + " rows, first " + command;
        String memories = IntStream.range(0, deliveries.size())
                .filter(sender -> delivery(sender) instanceof Delivery.Claim)
                .mapToObj(sender -> " | S" + (sender + 1) + " " + delivery(sender))
                .reduce("", String::concat);
        return "business " + business.name().toLowerCase(Locale.ROOT) + " | " + row
                + (tasks.isEmpty() ? "" : " | platform has " + tasks.size() + " task(s)")
                + (strays.isEmpty() ? "" : " | may still arrive: request@" + strays)
                + memories;
    }
}
