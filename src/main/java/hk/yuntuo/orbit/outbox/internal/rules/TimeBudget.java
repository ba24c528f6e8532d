package hk.yuntuo.orbit.outbox.internal.rules;

import java.time.Duration;

/** How long the next exchange of a delivery may take. */
public final class TimeBudget {
    private TimeBudget() {}

    /**
     * The least of: one exchange, what is left of the network phase, of the lease, and until the send deadline. The stopwatch starts
     * before the claim, so it never runs behind the database's.
     *
     * @param elapsed since before the claim
     * @param untilDeadline from the claim to the send deadline
     * @return zero or negative when nothing may be sent any more
     */
    public static Duration exchange(Duration elapsed, Duration untilDeadline) {
        Duration phase =
                min(min(Limits.NETWORK_PHASE, Limits.LEASE), untilDeadline).minus(elapsed);
        return min(Limits.EXCHANGE, phase);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
