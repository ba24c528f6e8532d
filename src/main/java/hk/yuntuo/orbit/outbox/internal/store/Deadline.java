package hk.yuntuo.orbit.outbox.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A monotonic time limit that can be stopped. Used by one thread at a time. */
public final class Deadline {
    private final Duration limit;
    private Duration spent = Duration.ZERO;
    private @Nullable Long runningSince;

    private Deadline(Duration limit) {
        this.limit = limit;
    }

    /** A limit that runs from now on. */
    public static Deadline in(Duration limit) {
        Deadline deadline = stopped(limit);
        deadline.start();
        return deadline;
    }

    /** A limit that does not run yet. */
    static Deadline stopped(Duration limit) {
        return new Deadline(limit);
    }

    void start() {
        if (runningSince == null) {
            runningSince = System.nanoTime();
        }
    }

    void stop() {
        spent = elapsed();
        runningSince = null;
    }

    public Duration limit() {
        return limit;
    }

    public Duration elapsed() {
        Long since = runningSince;
        return since == null ? spent : spent.plusNanos(System.nanoTime() - since);
    }

    /** Negative once the limit has passed. */
    public Duration remaining() {
        return limit.minus(elapsed());
    }
}
