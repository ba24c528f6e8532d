package hk.yuntuo.orbit.outbox.protocol;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A way through worlds, for people to read.
 *
 * @param broken the invariant that the last step breaks, if any
 */
record Trace(List<Transition> transitions, @Nullable Invariant broken) {
    static final Trace EMPTY = new Trace(List.of(), null);

    Trace and(@Nullable Invariant invariant, Transition transition) {
        return new Trace(
                Stream.concat(transitions.stream(), Stream.of(transition)).toList(), invariant);
    }

    int length() {
        return transitions.size();
    }

    @Override
    public String toString() {
        String steps = IntStream.range(0, length())
                .mapToObj(i -> "%2d. %s\n%s".formatted(i + 1, transitions.get(i).step(), changes(i)))
                .collect(Collectors.joining());
        return steps + (broken == null ? "" : "    breaks " + broken + "\n");
    }

    private String changes(int i) {
        World after = transitions.get(i).to();
        return IntStream.range(0, after.operations().size())
                .filter(o -> i == 0
                        || after.operation(o) != transitions.get(i - 1).to().operation(o))
                .filter(o -> after.operation(o).business() != Operation.Business.ABSENT)
                .mapToObj(o -> "      %s: %s\n".formatted((char) ('A' + o), after.operation(o)))
                .collect(Collectors.joining());
    }
}
