package hk.yuntuo.orbit.outbox.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Neither operations nor senders have names: worlds that differ only in who is called what behave alike, and one of each class is
 * enough. For worlds of one or two operations.
 */
final class Symmetry {
    private final List<List<Integer>> orders;
    private final Map<Operation, Integer> numbers = new HashMap<>();
    private final Map<Operation, int[]> numbersByOrder = new HashMap<>();

    Symmetry(int senders) {
        this.orders = orders(IntStream.range(0, senders).boxed().toList());
    }

    /** Equal for two worlds exactly if renaming operations and senders makes one of the other. */
    long classOf(World world) {
        int[] first = numbersByOrder(world.operation(0));
        int[] second = world.operations().size() > 1 ? numbersByOrder(world.operation(1)) : first;
        long least = Long.MAX_VALUE;
        for (int order = 0; order < first.length; order++) {
            long low = Math.min(first[order], second[order]);
            long high = Math.max(first[order], second[order]);
            least = Math.min(least, low << Integer.SIZE | high);
        }
        return least;
    }

    private int[] numbersByOrder(Operation operation) {
        return numbersByOrder.computeIfAbsent(
                operation,
                o -> orders.stream()
                        .mapToInt(order -> numbers.computeIfAbsent(o.withSenders(order), unknown -> numbers.size()))
                        .toArray());
    }

    private static List<List<Integer>> orders(List<Integer> senders) {
        if (senders.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Integer>> all = new ArrayList<>();
        for (Integer first : senders) {
            List<Integer> others =
                    senders.stream().filter(other -> !other.equals(first)).toList();
            for (List<Integer> rest : orders(others)) {
                List<Integer> order = new ArrayList<>(List.of(first));
                order.addAll(rest);
                all.add(order);
            }
        }
        return all;
    }
}
