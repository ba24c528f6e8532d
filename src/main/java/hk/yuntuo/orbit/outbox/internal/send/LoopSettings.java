package hk.yuntuo.orbit.outbox.internal.send;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a loop works.
 *
 * @param pollInterval the wait when nothing was due
 * @param shutdownTimeout how long a stop waits for what is in flight
 * @param concurrency deliveries in flight at most
 * @param retryDelay the wait after a failure; null if a failure ends the loop
 */
public record LoopSettings(
        Duration pollInterval,
        Duration shutdownTimeout,
        int concurrency,
        @Nullable Duration retryDelay) {}
