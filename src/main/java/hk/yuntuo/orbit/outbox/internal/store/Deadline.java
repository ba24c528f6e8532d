package hk.yuntuo.orbit.outbox.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A monotonic time limit. */
public final class Deadline {
    private final Duration limit;
    private volatile @Nullable Long startNanos;

    private Deadline(Duration limit) {
        this.limit = limit;
    }

    /** A limit that starts now. */
    public static Deadline in(Duration limit) {
        Deadline deadline = new Deadline(limit);
        deadline.start();
        return deadline;
    }

    /** A limit that starts with the first {@link #start}. */
    static Deadline later(Duration limit) {
        return new Deadline(limit);
    }

    void start() {
        if (startNanos == null) {
            startNanos = System.nanoTime();
        }
    }

    public Duration limit() {
        return limit;
    }

    public Duration elapsed() {
        Long start = startNanos;
        return start == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - start);
    }

    /** Negative once the limit has passed. */
    public Duration remaining() {
        return limit.minus(elapsed());
    }
}
