package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.protocol.Step.Commit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Which steps are possible in a world, and what they make of it: any sender, caller, request or clock may be the next to move. The
 * decisions are those of the library's own rules; the statements are modelled after their text, each {@link Fence} on its own.
 *
 * <p>What it leaves out, and why that hides nothing:
 * <ul>
 *   <li>A transaction is one step. It holds the rows it changes until its COMMIT takes effect, however late, and until then a claim skips
 *       them, a settlement waits and an INSERT of the same id waits. That it ends at all, though its process stalls, is the server's part
 *       (statement BOUND_SESSION) and taken for granted here.
 *   <li>A claim that gets no answer leaves nothing in its sender's memory, so it does not matter when its COMMIT takes effect.
 *   <li>Time is what it can change: a row falls due, a lease ends, a deadline passes. Each may come at any moment, or never.
 *   <li>Result codes and delays are not kept: each code is tried, and the settlement that the rules make of it is followed.
 *   <li>A process that is stopped and goes on is one that does not move for a while.
 * </ul>
 *
 * <p>What bounds it: the operations, the senders, and the claims that are left to a row before the real limit. A sender has at most one
 * claim of a row in its memory; a process with a hung delivery that claims its row again is two senders here. The platform forgets no key.
 * Crashes, lost answers, lost COMMITs and runs of a business transaction are not bounded.
 */
final class Model {
    private final Bounds bounds;
    private final CallerMoves callers;
    private final OutsideMoves outside;
    private final SenderMoves senders;
    private final List<Map<Operation, List<Move>>> known;

    /**
     * The size of a world.
     *
     * @param operations one or two
     * @param claimsBefore claims that each row has behind it when it appears, so that the real limit of claims is near
     */
    record Bounds(int operations, int senders, int claimsBefore) {}

    Model(Bounds bounds, Set<Fence> fences) {
        this.bounds = bounds;
        this.callers = new CallerMoves(fences, bounds.claimsBefore());
        this.outside = new OutsideMoves(fences);
        this.senders = new SenderMoves(fences);
        this.known = IntStream.range(0, bounds.operations())
                .mapToObj(index -> (Map<Operation, List<Move>>) new HashMap<Operation, List<Move>>())
                .toList();
    }

    World initial() {
        return World.initial(bounds.operations(), bounds.senders());
    }

    List<Transition> from(World world) {
        List<Transition> transitions = new ArrayList<>();
        for (int index = 0; index < bounds.operations(); index++) {
            for (Move move : moves(index, world.operation(index))) {
                transitions.add(new Transition(move.step(), world.with(index, move.to())));
            }
        }
        for (int sender = 0; sender < bounds.senders(); sender++) {
            claims(world, sender, transitions);
            crash(world, sender, transitions);
        }
        return transitions;
    }

    private List<Move> moves(int index, Operation operation) {
        return known.get(index).computeIfAbsent(operation, o -> {
            List<Move> moves = new ArrayList<>(callers.from(index, o));
            moves.addAll(outside.from(index, o));
            for (int sender = 0; sender < bounds.senders(); sender++) {
                moves.addAll(senders.from(index, o, sender));
            }
            return moves;
        });
    }

    /** One transaction for each choice of rows that are to be had: LIMIT and SKIP LOCKED may leave any of them out. */
    private void claims(World world, int sender, List<Transition> transitions) {
        List<List<Integer>> choices = new ArrayList<>(List.of(List.of()));
        for (int index = 0; index < bounds.operations(); index++) {
            if (senders.canClaim(world.operation(index), sender)) {
                int row = index;
                List<List<Integer>> larger = choices.stream()
                        .map(choice -> IntStream.concat(choice.stream().mapToInt(i -> i), IntStream.of(row))
                                .boxed()
                                .toList())
                        .toList();
                choices.addAll(larger);
            }
        }
        for (List<Integer> choice : choices.subList(1, choices.size())) {
            for (Commit commit : Commit.values()) {
                World to = world;
                for (int index : choice) {
                    to = to.with(index, senders.claimed(world.operation(index), sender, commit));
                }
                transitions.add(new Transition(new Step.Claim(sender, choice, commit), to));
            }
        }
    }

    private void crash(World world, int sender, List<Transition> transitions) {
        World to = world;
        for (int index = 0; index < bounds.operations(); index++) {
            to = to.with(index, senders.crashed(world.operation(index), sender));
        }
        if (to != world) {
            transitions.add(new Transition(new Step.Crash(sender), to));
        }
    }
}
