package hk.yuntuo.orbit.outbox.internal.rules;

import static hk.yuntuo.orbit.outbox.internal.rules.ClaimedRow.CREATED;
import static hk.yuntuo.orbit.outbox.internal.rules.ClaimedRow.DEADLINE;
import static hk.yuntuo.orbit.outbox.internal.rules.ClaimedRow.ID;
import static hk.yuntuo.orbit.outbox.internal.rules.ClaimedRow.KEY;
import static hk.yuntuo.orbit.outbox.internal.rules.ClaimedRow.claimed;
import static hk.yuntuo.orbit.outbox.internal.rules.ClaimedRow.receipt;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of outcomes, cell by cell. */
class SettlementRulesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** The seconds of the back-off after the first, second ... claim; after the last of these it stays at 60. */
    private static final List<Integer> BACKOFF_SECONDS = List.of(1, 2, 4, 8, 16, 32, 60);

    private static final Set<ResultCode> SENT_AGAIN = EnumSet.of(ResultCode.UNCONFIRMED, ResultCode.BACKPRESSURE);
    private static final Set<ResultCode> FOR_A_PERSON = EnumSet.of(
            ResultCode.AUTHORIZATION,
            ResultCode.IDEMPOTENCY_CONFLICT,
            ResultCode.HTTP_REJECTED,
            ResultCode.INVALID_DOCUMENT,
            ResultCode.TARGET_MISMATCH);

    static Stream<Arguments> everyRetryBelowTheBudget() {
        List<Arguments> cells = new ArrayList<>();
        for (ResultCode code : SENT_AGAIN) {
            for (int sendCount : new int[] {1, 2, 3, 6, 7, 8, 50, 99}) {
                for (Duration retryAfter : retryAfters(sendCount)) {
                    cells.add(Arguments.of(code, sendCount, retryAfter));
                }
            }
        }
        return cells.stream();
    }

    /** Absent, none, small, around the back-off, around the hour, and beyond any clock. */
    private static List<@Nullable Duration> retryAfters(int sendCount) {
        Duration backoff = backoff(sendCount);
        List<@Nullable Duration> values = new ArrayList<>(List.of(
                Duration.ZERO,
                Duration.ofMillis(1),
                backoff,
                backoff.plusMillis(999),
                backoff.plusMillis(1_000),
                HOUR.minusNanos(1),
                HOUR,
                HOUR.plusNanos(1),
                Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)));
        values.add(null);
        return values;
    }

    private static Duration backoff(int sendCount) {
        return Duration.ofSeconds(BACKOFF_SECONDS.get(Math.min(sendCount, BACKOFF_SECONDS.size()) - 1));
    }

    @ParameterizedTest
    @MethodSource("everyRetryBelowTheBudget")
    void withoutAnAnswerTheRowWaitsForTheLongerOfBackoffAndRequestAtMostAnHour(
            ResultCode code, int sendCount, @Nullable Duration retryAfter) {
        for (int jitter : new int[] {0, 1, 999}) {
            Duration longer = backoff(sendCount).plusMillis(jitter);
            if (retryAfter != null && retryAfter.compareTo(longer) > 0) {
                longer = retryAfter;
            }
            Duration expected = longer.compareTo(HOUR) > 0 ? HOUR : longer;
            assertEquals(
                    new Settlement(OutboxState.PENDING, code, expected, null, null),
                    fail(code, sendCount, retryAfter, jitter));
        }
    }

    @Test
    void theBackoffDoublesFromOneToSixtySeconds() {
        List<Long> waits = IntStream.rangeClosed(1, 99)
                .mapToObj(sendCount ->
                        fail(ResultCode.UNCONFIRMED, sendCount, null, 0).delay().toMillis())
                .toList();

        assertEquals(List.of(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L, 60_000L), waits.subList(0, 7));
        assertEquals(Set.of(60_000L), Set.copyOf(waits.subList(7, 99)));
        assertEquals(
                Duration.ofMillis(60_999),
                fail(ResultCode.UNCONFIRMED, 99, null, 999).delay());
    }

    static Stream<Arguments> everyUnansweredHundredth() {
        return SENT_AGAIN.stream()
                .flatMap(code -> retryAfters(100).stream().map(retryAfter -> Arguments.of(code, retryAfter)));
    }

    @ParameterizedTest
    @MethodSource("everyUnansweredHundredth")
    void theHundredthUnansweredClaimGoesToReviewAtOnce(ResultCode code, @Nullable Duration retryAfter) {
        assertEquals(review(ResultCode.SEND_BUDGET_EXHAUSTED), fail(code, 100, retryAfter, 999));
    }

    static Stream<Arguments> everyRefusal() {
        return FOR_A_PERSON.stream()
                .flatMap(code -> Stream.of(1, 2, 7, 99, 100)
                        .flatMap(sendCount -> retryAfters(sendCount).stream()
                                .map(retryAfter -> Arguments.of(code, sendCount, retryAfter))));
    }

    @ParameterizedTest
    @MethodSource("everyRefusal")
    void aDefiniteFailureGoesToReviewUnderItsOwnCodeAtAnyCount(
            ResultCode code, int sendCount, @Nullable Duration retryAfter) {
        assertEquals(review(code), fail(code, sendCount, retryAfter, 500));
    }

    @ParameterizedTest
    @EnumSource(
            value = ResultCode.class,
            names = {"ACCEPTED", "INVALID_RECEIPT", "SEND_BUDGET_EXHAUSTED", "SEND_DEADLINE"})
    void whatIsNotAFailureIsRefused(ResultCode code) {
        for (int sendCount : new int[] {1, 99, 100}) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> fail(code, sendCount, null, 0));
            assertTrue(e.getMessage().contains(code.name()), e.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource(ResultCode.class)
    void everyCodeHasItsPlaceInTheseTables(ResultCode code) {
        boolean refused = EnumSet.of(
                        ResultCode.ACCEPTED,
                        ResultCode.INVALID_RECEIPT,
                        ResultCode.SEND_BUDGET_EXHAUSTED,
                        ResultCode.SEND_DEADLINE)
                .contains(code);
        long places = Stream.of(SENT_AGAIN.contains(code), FOR_A_PERSON.contains(code), refused)
                .filter(place -> place)
                .count();
        assertEquals(1, places);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 99, 100})
    void aReceiptForThisCommandIsAcceptedAtAnyCount(int sendCount) {
        SubmitTaskResult receipt = receipt("ns-1", "queue-1", KEY);

        assertEquals(
                new Settlement(
                        OutboxState.ACCEPTED, ResultCode.ACCEPTED, Duration.ZERO, "task-1", receipt.receiptJson()),
                SettlementRules.settle(claimed(sendCount, DEADLINE), new Outcome.Answered(receipt), 999));
    }

    static Stream<Arguments> everyMismatch() {
        Stream<SubmitTaskResult> wrong = Stream.of(
                receipt("ns-2", "queue-1", KEY),
                receipt("NS-1", "queue-1", KEY),
                receipt("ns-1 ", "queue-1", KEY),
                receipt("ns-1", "queue-2", KEY),
                receipt("ns-1", "Queue-1", KEY),
                receipt("ns-1", "queue-1 ", KEY),
                receipt("ns-1", "queue-1", "outbox-task-" + ID.replace('0', '1')),
                receipt("ns-1", "queue-1", KEY.toUpperCase(java.util.Locale.ROOT)),
                receipt("ns-1", "queue-1", ID),
                receipt("ns-1", "queue-1", KEY + " "));
        return wrong.flatMap(receipt -> Stream.of(1, 99, 100).map(sendCount -> Arguments.of(receipt, sendCount)));
    }

    @ParameterizedTest
    @MethodSource("everyMismatch")
    void aReceiptForAnythingElseGoesToReviewAndIsKeptAsEvidence(SubmitTaskResult receipt, int sendCount) {
        assertEquals(
                new Settlement(
                        OutboxState.REVIEW, ResultCode.INVALID_RECEIPT, Duration.ZERO, null, receipt.receiptJson()),
                SettlementRules.settle(claimed(sendCount, DEADLINE), new Outcome.Answered(receipt), 0));
    }

    @Test
    void anAnswerAfterTheDeadlineIsStillRecorded() {
        SubmitTaskResult receipt = receipt("ns-1", "queue-1", KEY);
        OutboxRecord late = claimed(3, CREATED.minusSeconds(1));

        assertEquals(
                OutboxState.ACCEPTED,
                SettlementRules.settle(late, new Outcome.Answered(receipt), 0).state());
    }

    static Stream<Arguments> everyBudget() {
        Optional<ResultCode> free = Optional.empty();
        Optional<ResultCode> count = Optional.of(ResultCode.SEND_BUDGET_EXHAUSTED);
        Optional<ResultCode> time = Optional.of(ResultCode.SEND_DEADLINE);
        return Stream.of(
                Arguments.of(0, -1, free),
                Arguments.of(99, -1, free),
                Arguments.of(100, -1, count),
                Arguments.of(0, 0, time),
                Arguments.of(99, 0, time),
                Arguments.of(100, 0, count),
                Arguments.of(0, 1, time),
                Arguments.of(99, 1, time),
                Arguments.of(100, 1, count));
    }

    @ParameterizedTest
    @MethodSource("everyBudget")
    void theBudgetIsAHundredClaimsAndTheTimeBeforeTheDeadline(
            int sendCount, long microsFromDeadline, Optional<ResultCode> spent) {
        Instant now = DEADLINE.plus(microsFromDeadline, ChronoUnit.MICROS);

        assertEquals(spent, SettlementRules.spentBudget(claimed(sendCount, DEADLINE), now));
    }

    @Test
    void aSettlementDoesNotShowTheReceipt() {
        Settlement settlement =
                SettlementRules.settle(claimed(1, DEADLINE), new Outcome.Answered(receipt("ns-1", "queue-1", KEY)), 0);
        assertFalse(settlement.toString().contains("secret-of-the-receipt"));
    }

    private static Settlement fail(ResultCode code, int sendCount, @Nullable Duration retryAfter, int jitter) {
        return SettlementRules.settle(claimed(sendCount, DEADLINE), new Outcome.Failed(code, retryAfter), jitter);
    }

    private static Settlement review(ResultCode code) {
        return new Settlement(OutboxState.REVIEW, code, Duration.ZERO, null, null);
    }
}
