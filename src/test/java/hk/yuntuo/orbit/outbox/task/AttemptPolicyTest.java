package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AttemptPolicyTest {
    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofHours(24);

    static Stream<Arguments> accepted() {
        return Stream.of(
                arguments(1, MILLI, MILLI),
                arguments(100, HOUR, HOUR),
                arguments(3, MILLI, DAY),
                arguments(3, HOUR, DAY),
                arguments(3, HOUR.minus(MILLI), HOUR));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(0, MILLI, MILLI, "maxAttempts", "must be between 1 and 100"),
                arguments(-1, MILLI, MILLI, "maxAttempts", "must be between 1 and 100"),
                arguments(101, MILLI, MILLI, "maxAttempts", "must be between 1 and 100"),
                arguments(3, null, MILLI, "firstBackoff", "must not be null"),
                arguments(3, Duration.ZERO, MILLI, "firstBackoff", "must be between 1 ms and 1 h"),
                arguments(3, MILLI.minus(NANO), MILLI, "firstBackoff", "must be between 1 ms and 1 h"),
                arguments(3, HOUR.plus(MILLI), DAY, "firstBackoff", "must be between 1 ms and 1 h"),
                arguments(3, MILLI.plus(NANO), DAY, "firstBackoff", "must be in whole milliseconds"),
                arguments(3, MILLI, null, "maxBackoff", "must not be null"),
                arguments(3, MILLI, Duration.ZERO, "maxBackoff", "must be between 1 ms and 24 h"),
                arguments(3, MILLI, DAY.plus(NANO), "maxBackoff", "must be between 1 ms and 24 h"),
                arguments(3, MILLI, DAY.minus(NANO), "maxBackoff", "must be in whole milliseconds"),
                arguments(3, HOUR, HOUR.minus(MILLI), "maxBackoff", "must be at least firstBackoff (PT1H)"));
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void takesEachBound(int maxAttempts, Duration firstBackoff, Duration maxBackoff) {
        assertDoesNotThrow(() -> new AttemptPolicy(maxAttempts, firstBackoff, maxBackoff));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesWhatIsPastABound(int maxAttempts, Duration first, Duration max, String component, String rule) {
        InvalidInputException refused =
                assertThrows(InvalidInputException.class, () -> new AttemptPolicy(maxAttempts, first, max));
        assertEquals("attemptPolicy." + component, refused.field());
        assertEquals(rule, refused.rule());
    }
}
