package hk.yuntuo.orbit.outbox.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The armed faults. Each strikes one request, the next that it is meant for, in the order in which they were armed; then it is used
 * up. It strikes before anything of the request is checked. Thread-safe.
 *
 * <p>The JDK's HTTP client repeats a read (not a submission, not a cancellation) whose connection is closed without an answer: to make
 * a read fail, arm such a fault twice.
 */
public final class FaultQueue {
    private record Armed(@Nullable OrbitCall call, Fault fault) {}

    private final Deque<Armed> armed = new ArrayDeque<>();
    private final Map<OrbitCall, Integer> requests = new EnumMap<>(OrbitCall.class);

    FaultQueue() {}

    /**
     * Arms faults for the next submissions, one each.
     *
     * @param faults the faults, in order
     */
    public void next(Fault... faults) {
        next(OrbitCall.SUBMIT, faults);
    }

    /**
     * Arms faults for the next requests of a kind, one each.
     *
     * @param call the kind
     * @param faults the faults, in order
     */
    public synchronized void next(OrbitCall call, Fault... faults) {
        for (Fault fault : faults) {
            armed.add(new Armed(call, fault));
        }
    }

    /**
     * Arms faults for the next requests of any kind, one each.
     *
     * @param faults the faults, in order
     */
    public synchronized void nextOfAny(Fault... faults) {
        for (Fault fault : faults) {
            armed.add(new Armed(null, fault));
        }
    }

    /**
     * How many faults have not struck yet.
     *
     * @return the number
     */
    public synchronized int remaining() {
        return armed.size();
    }

    /** Disarms all that have not struck yet. */
    public synchronized void clear() {
        armed.clear();
    }

    synchronized int requests(OrbitCall call) {
        return requests.getOrDefault(call, 0);
    }

    /** Counts a request and takes the fault meant for it. */
    synchronized Optional<Fault> take(OrbitCall call) {
        requests.merge(call, 1, Integer::sum);
        for (Iterator<Armed> all = armed.iterator(); all.hasNext(); ) {
            Armed next = all.next();
            if (next.call() == null || next.call() == call) {
                all.remove();
                return Optional.of(next.fault());
            }
        }
        return Optional.empty();
    }
}
