package hk.yuntuo.orbit.outbox.protocol;

import java.util.Arrays;
import java.util.BitSet;

/** A directed graph over numbered nodes, that grows. */
final class Edges {
    private int[] from = new int[1 << 12];
    private int[] to = new int[1 << 12];
    private int count;

    void add(int source, int target) {
        if (count == from.length) {
            from = Arrays.copyOf(from, 2 * count);
            to = Arrays.copyOf(to, 2 * count);
        }
        from[count] = source;
        to[count++] = target;
    }

    /** The nodes that lead to a goal, goals included. */
    BitSet leadingTo(BitSet goals, int nodes) {
        int[] start = new int[nodes + 1];
        for (int edge = 0; edge < count; edge++) {
            start[to[edge] + 1]++;
        }
        for (int node = 0; node < nodes; node++) {
            start[node + 1] += start[node];
        }
        return backwards(goals, start, sourcesByTarget(start));
    }

    private int[] sourcesByTarget(int[] start) {
        int[] next = start.clone();
        int[] sources = new int[count];
        for (int edge = 0; edge < count; edge++) {
            sources[next[to[edge]]++] = from[edge];
        }
        return sources;
    }

    private static BitSet backwards(BitSet goals, int[] start, int[] sources) {
        BitSet reached = (BitSet) goals.clone();
        int[] waiting = Arrays.copyOf(goals.stream().toArray(), start.length);
        int end = goals.cardinality();
        for (int at = 0; at < end; at++) {
            for (int i = start[waiting[at]]; i < start[waiting[at] + 1]; i++) {
                if (!reached.get(sources[i])) {
                    reached.set(sources[i]);
                    waiting[end++] = sources[i];
                }
            }
        }
        return reached;
    }
}
