package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How often the platform runs a task, and how long it waits between two runs. It says nothing about how often the outbox
 * <em>sends</em> the task. Checked when created; immutable.
 *
 * @param maxAttempts how many runs a task has, the first included: 1 to 100. With 1 a failure is final
 * @param firstBackoff the wait after the first failed run: 1 ms to 1 h, whole milliseconds. Short waits press on what has
 *     just failed
 * @param maxBackoff the longest wait, as waits grow from run to run: {@code firstBackoff} to 24 h, whole milliseconds
 */
public record AttemptPolicy(int maxAttempts, Duration firstBackoff, Duration maxBackoff) {
    private static final int GREATEST_MAX_ATTEMPTS = 100;
    private static final Duration ONE_HOUR = Duration.ofHours(1);
    private static final Duration ONE_DAY = Duration.ofHours(24);

    /**
     * Checks the bounds.
     *
     * @param maxAttempts how many runs
     * @param firstBackoff the first wait
     * @param maxBackoff the longest wait
     * @throws InvalidInputException if a value is null or out of its bounds, a duration is finer than a millisecond, or
     *     {@code maxBackoff} is shorter than {@code firstBackoff}; its field begins with {@code attemptPolicy.}
     */
    public AttemptPolicy {
        if (maxAttempts < 1 || maxAttempts > GREATEST_MAX_ATTEMPTS) {
            throw new InvalidInputException(
                    "attemptPolicy.maxAttempts", "must be between 1 and " + GREATEST_MAX_ATTEMPTS, maxAttempts);
        }
        requireBackoff("firstBackoff", firstBackoff, ONE_HOUR, "must be between 1 ms and 1 h");
        requireBackoff("maxBackoff", maxBackoff, ONE_DAY, "must be between 1 ms and 24 h");
        if (maxBackoff.compareTo(firstBackoff) < 0) {
            throw new InvalidInputException(
                    "attemptPolicy.maxBackoff", "must be at least firstBackoff (" + firstBackoff + ")", maxBackoff);
        }
    }

    private static void requireBackoff(String name, @Nullable Duration value, Duration greatest, String rule) {
        String field = "attemptPolicy." + name;
        RequestRules.duration(field, RequestRules.notNull(field, value), RequestRules.ONE_MILLI, greatest, rule);
    }
}
