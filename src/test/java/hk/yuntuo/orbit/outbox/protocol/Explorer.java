package hk.yuntuo.orbit.outbox.protocol;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Walks through all worlds that can be reached, breadth first, so that what it finds broken it finds by a shortest way. Used once.
 */
final class Explorer {
    private final Model model;
    private final Symmetry symmetry;
    private final Set<Invariant> invariants;
    private final List<World> worlds = new ArrayList<>();
    private final List<Integer> parents = new ArrayList<>();
    private final Map<Long, Integer> numbers = new HashMap<>();
    private final Edges sure = new Edges();
    private long transitions;
    private @Nullable Trace violation;

    Explorer(Model.Bounds bounds, Set<Fence> fences, Set<Invariant> invariants) {
        this.model = new Model(bounds, fences);
        this.symmetry = new Symmetry(bounds.senders());
        this.invariants = invariants;
    }

    /** Stops at the first step that breaks an invariant. */
    Explorer explore() {
        return explore((from, transition) -> true);
    }

    /** As if there were no other transitions. */
    Explorer explore(BiPredicate<World, Transition> possible) {
        numberOf(model.initial(), -1);
        for (int at = 0; at < worlds.size() && violation == null; at++) {
            World from = worlds.get(at);
            for (Transition transition : model.from(from)) {
                if (possible.test(from, transition)) {
                    follow(at, transition);
                }
            }
        }
        return this;
    }

    private void follow(int at, Transition transition) {
        transitions++;
        World from = worlds.get(at);
        for (Invariant invariant : invariants) {
            if (violation == null && !holds(invariant, from, transition)) {
                violation = trace(at).and(invariant, transition);
            }
        }
        int to = numberOf(transition.to(), at);
        if (transition.step().isSure()) {
            sure.add(at, to);
        }
    }

    private static boolean holds(Invariant invariant, World from, Transition transition) {
        for (int i = 0; i < from.operations().size(); i++) {
            Operation before = from.operation(i);
            Operation after = transition.to().operation(i);
            if (before != after && !invariant.holds(before, transition.step(), after)) {
                return false;
            }
        }
        return true;
    }

    private int numberOf(World world, int parent) {
        int next = worlds.size();
        Integer known = numbers.putIfAbsent(symmetry.classOf(world), next);
        if (known != null) {
            return known;
        }
        worlds.add(world);
        parents.add(parent);
        return next;
    }

    /** The way to the first step that broke an invariant, if one did. */
    Optional<Trace> violation() {
        return Optional.ofNullable(violation);
    }

    /**
     * A shortest way to a world from which time and the senders alone cannot bring every committed operation to ACCEPTED or REVIEW,
     * if there is one: with a silent platform, and callers that do nothing more.
     */
    Optional<Trace> stuck() {
        if (violation != null) {
            throw new IllegalStateException("not all worlds are known, for the walk ended at " + violation.broken());
        }
        BitSet ends = new BitSet();
        for (int number = 0; number < worlds.size(); number++) {
            ends.set(number, worlds.get(number).isAtItsEnd());
        }
        int first = sure.leadingTo(ends, worlds.size()).nextClearBit(0);
        return first < worlds.size() ? Optional.of(trace(first)) : Optional.empty();
    }

    private Trace trace(int number) {
        if (number == 0) {
            return Trace.EMPTY;
        }
        int parent = parents.get(number);
        Transition last = model.from(worlds.get(parent)).stream()
                .filter(transition -> transition.to().equals(worlds.get(number)))
                .findFirst()
                .orElseThrow();
        return trace(parent).and(null, last);
    }

    int worlds() {
        return worlds.size();
    }

    /** The steps of the longest of the shortest ways. */
    int depth() {
        int steps = 0;
        for (int number = worlds.size() - 1; number > 0; number = parents.get(number)) {
            steps++;
        }
        return steps;
    }

    /** Each step counts, also one that leads to a world already known. */
    @Override
    public String toString() {
        return worlds() + " worlds, " + transitions + " transitions, depth " + depth();
    }
}
