package hk.yuntuo.orbit.outbox.internal.store;

import java.time.Duration;

/** A monotonic time limit that started when it was made. */
public final class Deadline {
    private final long startNanos = System.nanoTime();
    private final Duration limit;

    private Deadline(Duration limit) {
        this.limit = limit;
    }

    public static Deadline in(Duration limit) {
        return new Deadline(limit);
    }

    public Duration limit() {
        return limit;
    }

    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** Negative once the limit has passed. */
    public Duration remaining() {
        return limit.minus(elapsed());
    }
}
