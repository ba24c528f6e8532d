package hk.yuntuo.orbit.outbox.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.protocol.Model.Bounds;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Without one of its fences the protocol breaks, and the model shows how by a shortest way; the ways are written to
 * {@code target/protocol}. It proves of each invariant that it can be broken, and says of each fence what it is for.
 */
class FenceTest {
    private static final Bounds TWO_SENDERS_TWO_ROWS = new Bounds(2, 2, 98);
    private static final Bounds FOUR_CLAIMS_OF_ONE_ROW = new Bounds(1, 2, 96);

    /** The fence that is taken out, what breaks, and in how many steps from the empty world. */
    static Stream<Arguments> broken() {
        return Stream.of(
                Arguments.of(
                        Fence.COMMAND_IN_BUSINESS_TRANSACTION,
                        Invariant.A_COMMITTED_OPERATION_AND_NO_OTHER_HAS_ONE_COMMAND,
                        1),
                Arguments.of(Fence.COMMAND_IN_BUSINESS_TRANSACTION, Invariant.NO_TASK_WITHOUT_A_COMMITTED_OPERATION, 4),
                Arguments.of(Fence.PRIMARY_KEY, Invariant.A_COMMITTED_OPERATION_AND_NO_OTHER_HAS_ONE_COMMAND, 3),
                Arguments.of(Fence.UNANSWERED_COMMIT_IS_UNKNOWN, Invariant.A_CALLER_HEARS_THE_TRUTH, 2),
                Arguments.of(Fence.CLAIM_WAITS_FOR_DUE, Invariant.A_CLAIM_LEAVES_A_RUNNING_LEASE_ALONE, 4),
                Arguments.of(Fence.CLAIM_ASKS_FOR_THE_BUDGET, Invariant.A_SPENT_BUDGET_IS_NOT_LEASED, 4),
                Arguments.of(Fence.CLAIM_ASKS_FOR_THE_BUDGET, Invariant.COUNT_AND_EPOCH_ARE_THE_COMMITTED_CLAIMS, 7),
                Arguments.of(Fence.CLAIM_RAISES_THE_EPOCH, Invariant.COUNT_AND_EPOCH_ARE_THE_COMMITTED_CLAIMS, 3),
                Arguments.of(Fence.CLAIM_RAISES_THE_EPOCH, Invariant.AN_EPOCH_HAS_ONE_OWNER, 5),
                Arguments.of(Fence.CLAIM_RAISES_THE_EPOCH, Invariant.AN_OWNERS_RECEIPT_MEETS_NO_OTHERS_WORK, 11),
                Arguments.of(
                        Fence.UNANSWERED_CLAIM_IS_NOT_USED, Invariant.NOTHING_IS_SENT_UNDER_AN_UNCOMMITTED_EPOCH, 4),
                Arguments.of(Fence.UNANSWERED_CLAIM_IS_NOT_USED, Invariant.AN_EPOCH_HAS_ONE_OWNER, 4),
                Arguments.of(Fence.SEND_ASKS_FOR_THE_TIME, Invariant.NO_SEND_STARTS_AFTER_ITS_LEASE_OR_THE_DEADLINE, 5),
                Arguments.of(Fence.ONE_KEY, Invariant.AN_OPERATION_HAS_AT_MOST_ONE_TASK, 9),
                Arguments.of(Fence.PLATFORM_DEDUPLICATES, Invariant.AN_OPERATION_HAS_AT_MOST_ONE_TASK, 9),
                Arguments.of(
                        Fence.RECEIPT_NAMES_ITS_KEY,
                        Invariant.AN_ACCEPTED_ROW_AND_NO_OTHER_CARRIES_THE_PLATFORMS_TASK,
                        7),
                Arguments.of(Fence.SETTLE_CHECKS_THE_STATE, Invariant.A_SETTLED_ROW_NEVER_CHANGES, 8),
                Arguments.of(Fence.SETTLE_CHECKS_THE_EPOCH, Invariant.ONLY_THE_OWNER_SETTLES, 7),
                Arguments.of(Fence.SETTLE_CHECKS_THE_EPOCH, Invariant.AN_OWNERS_RECEIPT_MEETS_NO_OTHERS_WORK, 11),
                Arguments.of(
                        Fence.CALLBACK_IN_SETTLEMENT, Invariant.THE_CALLBACKS_LINK_IS_WRITTEN_ONCE_WITH_ACCEPTED, 7));
    }

    @ParameterizedTest(name = "without {0}: {1}")
    @MethodSource("broken")
    void withoutItsFenceAnInvariantBreaks(Fence fence, Invariant invariant, int steps) throws IOException {
        Trace trace = without(TWO_SENDERS_TWO_ROWS, Set.of(invariant), fence)
                .explore()
                .violation()
                .orElseThrow();

        Report.write("without-" + fence + "-" + invariant, trace);
        assertEquals(invariant, trace.broken());
        assertEquals(steps, trace.length(), trace::toString);
    }

    @Test
    void everyInvariantHasBeenSeenBroken() {
        Set<Invariant> seen = broken().map(row -> (Invariant) row.get()[1]).collect(Collectors.toSet());

        assertEquals(EnumSet.allOf(Invariant.class), seen);
    }

    @Test
    void withoutTheEpochCheckALateSenderSettlesTheNextOwnersWork() {
        Trace trace = without(
                        TWO_SENDERS_TWO_ROWS, Set.of(Invariant.ONLY_THE_OWNER_SETTLES), Fence.SETTLE_CHECKS_THE_EPOCH)
                .explore()
                .violation()
                .orElseThrow();

        assertEquals("""
                 1. the business transaction of A inserts its rows
                      A: business open | no row
                 2. the business transaction of A: COMMIT answered; the caller hears COMMITTED
                      A: business committed | PENDING claims=98 epoch=98, due
                 3. S1 claims A; COMMIT answered
                      A: business committed | SENDING claims=99 epoch=99, lease running | S1 claimed@99
                 4. the back-off or the lease of A ends
                      A: business committed | SENDING claims=99 epoch=99, lease over | S1 claimed@99
                 5. S1 does not send A: UNCONFIRMED
                      A: business committed | SENDING claims=99 epoch=99, lease over | S1 to write PENDING@99
                 6. S2 claims A; COMMIT answered
                      A: business committed | SENDING claims=100 epoch=100, lease running | S1 to write PENDING@99 | S2 claimed@100
                 7. S1 settles A; COMMIT answered
                      A: business committed | PENDING claims=100 epoch=100, not yet due | S2 claimed@100
                    breaks ONLY_THE_OWNER_SETTLES
                """, trace.toString());
    }

    /** A claim does not raise the epoch of a row that it reviews for a spent budget, so only the state keeps its last owner out. */
    @Test
    void withoutTheStateCheckNothingBreaksButRowsThatAClaimReviewed() {
        Explorer unreviewed = without(
                        FOUR_CLAIMS_OF_ONE_ROW, EnumSet.allOf(Invariant.class), Fence.SETTLE_CHECKS_THE_STATE)
                .explore((from, next) -> !isReviewedByAClaim(from, next));

        assertEquals(Optional.empty(), unreviewed.violation());
    }

    private static boolean isReviewedByAClaim(World from, Transition next) {
        Command after = next.to().operation(0).command();
        return next.step() instanceof Step.Claim
                && after != null
                && after.state() == OutboxState.REVIEW
                && !after.equals(from.operation(0).command());
    }

    @Test
    void aSettlementThatIsRunAgainAfterALostAnswerIsHarmlessBecauseOfTheStateCheck() throws IOException {
        Explorer checked = without(
                        FOUR_CLAIMS_OF_ONE_ROW, EnumSet.allOf(Invariant.class), Fence.UNANSWERED_SETTLEMENT_IS_LEFT)
                .explore();
        assertEquals(Optional.empty(), checked.violation());
        assertEquals(Optional.empty(), checked.stuck());

        Trace twice = without(
                        TWO_SENDERS_TWO_ROWS,
                        Set.of(Invariant.THE_CALLBACKS_LINK_IS_WRITTEN_ONCE_WITH_ACCEPTED),
                        Fence.UNANSWERED_SETTLEMENT_IS_LEFT,
                        Fence.SETTLE_CHECKS_THE_STATE)
                .explore()
                .violation()
                .orElseThrow();
        Report.write("without-UNANSWERED_SETTLEMENT_IS_LEFT-and-SETTLE_CHECKS_THE_STATE", twice);
        assertEquals(8, twice.length(), twice::toString);
    }

    @Test
    void withoutTakingOverARowIsStuckWhoseClaimNobodyKnowsOf() throws IOException {
        Explorer explorer = without(FOUR_CLAIMS_OF_ONE_ROW, EnumSet.allOf(Invariant.class), Fence.CLAIM_TAKES_OVER)
                .explore();
        assertEquals(Optional.empty(), explorer.violation());
        Trace trace = explorer.stuck().orElseThrow();

        Report.write("without-CLAIM_TAKES_OVER-stuck", trace);
        assertEquals(3, trace.length(), trace::toString);
    }

    private static Explorer without(Bounds bounds, Set<Invariant> invariants, Fence... fences) {
        Set<Fence> left = EnumSet.allOf(Fence.class);
        left.removeAll(Set.of(fences));
        return new Explorer(bounds, left, invariants);
    }
}
