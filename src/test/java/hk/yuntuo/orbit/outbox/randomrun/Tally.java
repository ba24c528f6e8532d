package hk.yuntuo.orbit.outbox.randomrun;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How often each thing happened. Thread-safe. */
final class Tally {
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

    void count(String what) {
        add(what, 1);
    }

    void add(String what, int times) {
        counts.computeIfAbsent(what, key -> new AtomicInteger()).addAndGet(times);
    }

    int of(String what) {
        AtomicInteger count = counts.get(what);
        return count == null ? 0 : count.get();
    }

    /** All that happened, by name. */
    Map<String, AtomicInteger> all() {
        return new TreeMap<>(counts);
    }
}
