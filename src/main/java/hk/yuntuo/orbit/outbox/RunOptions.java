package hk.yuntuo.orbit.outbox;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How {@link OutboxSender#run} works. Immutable and thread-safe; {@link #defaults()} or {@link #builder()} make one. */
public final class RunOptions {
    private final Duration pollInterval;
    private final Duration shutdownTimeout;
    private final int concurrency;
    private final @Nullable Duration retryDelay;

    private RunOptions(Builder builder) {
        this.pollInterval =
                between("pollInterval", builder.pollInterval, Duration.ofMillis(10), Duration.ofSeconds(10));
        this.shutdownTimeout =
                between("shutdownTimeout", builder.shutdownTimeout, Duration.ofMillis(1), Duration.ofMinutes(5));
        if (builder.concurrency < 1 || builder.concurrency > 1024) {
            throw new InvalidInputException("concurrency", "must be 1 to 1024", builder.concurrency);
        }
        this.concurrency = builder.concurrency;
        this.retryDelay = builder.retryDelay == null
                ? null
                : between("retryDelay", builder.retryDelay, Duration.ofMillis(10), Duration.ofMinutes(5));
    }

    /**
     * The defaults: poll every 500 ms, shut down within 20 s, 16 deliveries in flight, end at the first storage or callback failure.
     *
     * @return the options
     */
    public static RunOptions defaults() {
        return builder().build();
    }

    /**
     * Starts from the defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The wait between two looks for due rows when there were none.
     *
     * @return the interval
     */
    public Duration pollInterval() {
        return pollInterval;
    }

    /**
     * How long a stop waits for deliveries in flight.
     *
     * @return the limit
     */
    public Duration shutdownTimeout() {
        return shutdownTimeout;
    }

    /**
     * The deliveries in flight at most.
     *
     * @return the number
     */
    public int concurrency() {
        return concurrency;
    }

    /**
     * The wait after a storage or callback failure.
     *
     * @return the wait; empty if such a failure ends the run
     */
    public Optional<Duration> retryDelay() {
        return Optional.ofNullable(retryDelay);
    }

    /** All four. */
    @Override
    public String toString() {
        return "RunOptions[pollInterval=" + pollInterval + ", shutdownTimeout=" + shutdownTimeout + ", concurrency="
                + concurrency + ", retryDelay=" + retryDelay + "]";
    }

    private static Duration between(String option, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new InvalidInputException(
                    option, "must be " + least.toMillis() + " to " + most.toMillis() + " ms", value);
        }
        return value;
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {
        private Duration pollInterval = Duration.ofMillis(500);
        private Duration shutdownTimeout = Duration.ofSeconds(20);
        private int concurrency = 16;
        private @Nullable Duration retryDelay;

        private Builder() {}

        /**
         * Sets the wait between two looks for due rows when there were none. Low: a new command from another process is seen sooner,
         * at one claim's statements per look. High: fewer statements, later starts. A commit in this JVM wakes the sender anyway.
         *
         * @param value 10 ms to 10 s; 500 ms by default
         * @return this
         */
        public Builder pollInterval(Duration value) {
            pollInterval = Objects.requireNonNull(value, "pollInterval");
            return this;
        }

        /**
         * Sets how long a stop waits for deliveries in flight. Low: a quick end, and more rows that wait for their lease to pass. High:
         * a delivery can end by itself, which takes up to 20 s (15 s of network, 5 s of settling).
         *
         * @param value 1 ms to 5 min; 20 s by default
         * @return this
         */
        public Builder shutdownTimeout(Duration value) {
            shutdownTimeout = Objects.requireNonNull(value, "shutdownTimeout");
            return this;
        }

        /**
         * Sets the deliveries in flight at most. Each is a thread while it lasts, and a pooled connection while it settles; with fewer
         * connections, settlements wait for each other.
         *
         * @param value 1 to 1024; 16 by default
         * @return this
         */
        public Builder concurrency(int value) {
            concurrency = value;
            return this;
        }

        /**
         * Sets the wait after a storage or callback failure; without it, the first such failure ends the run. A deadlock, a lock wait
         * time-out and a lost lease never end it.
         *
         * @param value 10 ms to 5 min
         * @return this
         */
        public Builder retryDelay(Duration value) {
            retryDelay = Objects.requireNonNull(value, "retryDelay");
            return this;
        }

        /**
         * Builds the options.
         *
         * @return the options
         * @throws InvalidInputException if one is out of bounds; the message names it
         */
        public RunOptions build() {
            return new RunOptions(this);
        }
    }
}
