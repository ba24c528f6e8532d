package hk.yuntuo.orbit.outbox.internal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How long the next exchange may take. */
class TimeBudgetTest {
    private static final Duration DAY = Duration.ofHours(24);

    @ParameterizedTest(name = "{0} after the start, {1} before the deadline: {2}")
    @CsvSource({
        // far from the deadline: ten seconds, then what is left of the fifteen
        "PT0S,          PT24H,         PT10S",
        "PT0.000000001S, PT24H,        PT10S",
        "PT4.999999999S, PT24H,        PT10S",
        "PT5S,          PT24H,         PT10S",
        "PT5.000000001S, PT24H,        PT9.999999999S",
        "PT14.999S,     PT24H,         PT0.001S",
        "PT15S,         PT24H,         PT0S",
        "PT15.000000001S, PT24H,       PT-0.000000001S",
        "PT30S,         PT24H,         PT-15S",
        "PT48H,         PT24H,         PT-47H-59M-45S",
        // the deadline is nearer than the end of the phase
        "PT0S,          PT15.000001S,  PT10S",
        "PT0S,          PT10.000001S,  PT10S",
        "PT0S,          PT10S,         PT10S",
        "PT0S,          PT9.999999S,   PT9.999999S",
        "PT5S,          PT14.999999S,  PT9.999999S",
        "PT1S,          PT3S,          PT2S",
        "PT3S,          PT3S,          PT0S",
        "PT3.000001S,   PT3S,          PT-0.000001S",
        "PT0S,          PT0.000001S,   PT0.000001S",
        // the deadline has passed before the claim
        "PT0S,          PT0S,          PT0S",
        "PT0S,          PT-0.000001S,  PT-0.000001S",
        "PT2S,          PT-1H,         PT-1H-2S"
    })
    void anExchangeHasTheLeastOfItsLimits(Duration elapsed, Duration untilDeadline, Duration expected) {
        assertEquals(expected, TimeBudget.exchange(elapsed, untilDeadline));
    }

    static Stream<Arguments> manyMoments() {
        List<Arguments> moments = new ArrayList<>();
        for (int elapsed = 0; elapsed <= 40_000; elapsed += 250) {
            for (int deadline = -1_000; deadline <= 40_000; deadline += 500) {
                moments.add(Arguments.of(Duration.ofMillis(elapsed), Duration.ofMillis(deadline)));
            }
        }
        return moments.stream();
    }

    @Test
    void noExchangeOutlivesTheLeaseTheDeadlineOrThePhase() {
        manyMoments().forEach(moment -> {
            Duration elapsed = (Duration) moment.get()[0];
            Duration untilDeadline = (Duration) moment.get()[1];
            Duration end = elapsed.plus(TimeBudget.exchange(elapsed, untilDeadline));
            assertTrue(end.compareTo(Duration.ofSeconds(15)) <= 0, moment::toString);
            assertTrue(end.compareTo(Duration.ofSeconds(30)) <= 0, moment::toString);
            assertTrue(end.compareTo(untilDeadline) <= 0, moment::toString);
        });
    }

    @ParameterizedTest
    @MethodSource("laterMoments")
    void timeThatHasPassedIsNeverGivenBack(Duration earlier, Duration later) {
        assertTrue(TimeBudget.exchange(later, DAY).compareTo(TimeBudget.exchange(earlier, DAY)) <= 0);
    }

    static Stream<Arguments> laterMoments() {
        return Stream.iterate(0, second -> second < 40, second -> second + 1)
                .map(second -> Arguments.of(Duration.ofSeconds(second), Duration.ofSeconds(second + 1)));
    }

    @Test
    void theLimitsAreThoseOfTheTableOfBudgets() {
        assertEquals(100, Limits.MAX_CLAIMS);
        assertEquals(Duration.ofSeconds(30), Limits.LEASE);
        assertEquals(Duration.ofSeconds(15), Limits.NETWORK_PHASE);
        assertEquals(Duration.ofSeconds(10), Limits.EXCHANGE);
        assertEquals(Duration.ofSeconds(5), Limits.TRANSACTION);
        assertEquals(Duration.ofHours(1), Limits.MAX_WAIT);
        assertEquals(Duration.ofSeconds(60), Limits.MAX_BACKOFF);
        assertEquals(1_000, Limits.JITTER_MILLIS);
    }

    @Test
    void aDeliveryAndItsSettlementFitIntoTheLease() {
        Duration settled = Limits.NETWORK_PHASE.plus(Limits.TRANSACTION);
        assertTrue(settled.compareTo(Limits.LEASE) < 0);
    }
}
