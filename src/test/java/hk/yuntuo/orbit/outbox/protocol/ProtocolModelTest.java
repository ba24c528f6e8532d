package hk.yuntuo.orbit.outbox.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.protocol.Model.Bounds;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The protocol as it is keeps every invariant, whatever happens in whatever order. {@link FenceTest} shows that it need not be so. */
class ProtocolModelTest {
    private static final Set<Fence> ALL = EnumSet.allOf(Fence.class);

    /** All that can happen, with one sender and one row. */
    private static final String STEPS = """
            S1 claims A; COMMIT answered
            S1 claims A; COMMIT lost, rolled back
            S1 claims A; COMMIT took effect, its answer is lost
            S1 crashes and starts anew
            S1 does not send A: AUTHORIZATION
            S1 does not send A: INVALID_DOCUMENT
            S1 does not send A: TARGET_MISMATCH
            S1 does not send A: UNCONFIRMED
            S1 gets a receipt for another key for A
            S1 gets no answer for A: UNCONFIRMED
            S1 gets the receipt for A
            S1 sends A
            S1 settles A; COMMIT answered
            S1 settles A; COMMIT lost, rolled back
            S1 settles A; COMMIT took effect, its answer is lost
            S1 settles A; no row changed, lease lost
            S1 settles A; the callback fails, rolled back
            the back-off or the lease of A ends
            the business transaction of A inserts its rows
            the business transaction of A is run again with the same id
            the business transaction of A rolls back
            the business transaction of A: COMMIT answered; the caller hears COMMITTED
            the business transaction of A: COMMIT lost, rolled back; the caller hears UNKNOWN
            the business transaction of A: COMMIT took effect, its answer is lost; the caller hears UNKNOWN
            the platform answers S1 for A: AUTHORIZATION
            the platform answers S1 for A: BACKPRESSURE
            the platform answers S1 for A: HTTP_REJECTED
            the platform answers S1 for A: IDEMPOTENCY_CONFLICT
            the platform answers S1 for A: UNCONFIRMED
            the platform takes A from S1
            the platform takes the late request for A of epoch 100
            the send deadline of A passes
            """;

    /** Two claims are left to each row, and then its review. */
    @Test
    void twoSendersAndTwoRowsKeepEveryInvariantAndNoRowIsStuck() throws IOException {
        Explorer explorer = explored(new Bounds(2, 2, 98));

        assertTrue(explorer.worlds() > 250_000, explorer::toString);
    }

    /** Rows meet only in a sender's claim and in its crash. How three senders or more claims get on with one row needs one row. */
    @ParameterizedTest
    @CsvSource({"2, 95", "3, 96"})
    void moreClaimsOfOneRowKeepThemToo(int senders, int claimsBefore) throws IOException {
        Explorer explorer = explored(new Bounds(1, senders, claimsBefore));

        assertTrue(explorer.worlds() > 25_000, explorer::toString);
    }

    private static Explorer explored(Bounds bounds) throws IOException {
        Explorer explorer = new Explorer(bounds, ALL, EnumSet.allOf(Invariant.class)).explore();
        Report.write("sizes-" + bounds.operations() + "-" + bounds.senders() + "-" + bounds.claimsBefore(), explorer);
        assertEquals(Optional.empty(), explorer.violation());
        assertEquals(Optional.empty(), explorer.stuck());
        return explorer;
    }

    /** A model in which something cannot happen says nothing about it. */
    @Test
    void everyKindOfStepIsTaken() {
        Set<String> taken = new TreeSet<>();
        new Explorer(new Bounds(1, 1, 99), ALL, Set.of()).explore((from, next) -> {
            taken.add(next.step().toString());
            return true;
        });

        assertEquals(new TreeSet<>(STEPS.lines().toList()), taken);
    }

    /** Moments that the proof is about, to know that it saw them. */
    private enum Moment {
        ALL_SENDERS_HOLD_CLAIMS_OF_ALL_ROWS((from, next) ->
                from.operations().stream().allMatch(operation -> !operation.isIdle(0) && !operation.isIdle(1))),
        ONE_CLAIM_TAKES_TWO_ROWS((from, next) ->
                next.step() instanceof Step.Claim claim && claim.operations().size() == 2),
        A_SENDER_CRASHES_AFTER_THE_PLATFORM_TOOK_ITS_REQUEST((from, next) -> next.step() instanceof Step.Crash crash
                && from.operation(0).delivery(crash.sender()) instanceof Delivery.Taken),
        A_RECEIPT_IS_RECORDED_AFTER_ITS_LEASE_IF_NOBODY_TOOK_OVER(
                (from, next) -> next.step() instanceof Step.Settle settle
                        && settle.end() == Step.SettleEnd.ANSWERED
                        && from.operation(settle.operation()).row().due()
                        && next.to().operation(settle.operation()).row().state() == OutboxState.ACCEPTED),
        A_RECEIPT_COMES_TO_NOTHING_BECAUSE_ANOTHER_TOOK_OVER(
                (from, next) -> isRefusedReceipt(from, next, OutboxState.SENDING)),
        A_RECEIPT_COMES_TO_NOTHING_BECAUSE_THE_ROW_WAS_REVIEWED(
                (from, next) -> isRefusedReceipt(from, next, OutboxState.REVIEW)),
        AN_ACCEPTANCE_IS_STORED_THOUGH_ITS_SENDER_CANNOT_KNOW((from, next) -> next.step() instanceof Step.Settle settle
                && settle.end() == Step.SettleEnd.LOST_BUT_DONE
                && next.to().operation(settle.operation()).row().state() == OutboxState.ACCEPTED),
        A_REQUEST_ARRIVES_AFTER_ITS_ROW_WAS_REVIEWED((from, next) -> next.step() instanceof Step.TakeStray stray
                && from.operation(stray.operation()).row().state() == OutboxState.REVIEW
                && from.operation(stray.operation()).tasks().isEmpty()),
        A_ROW_IS_REVIEWED_FOR_ITS_CLAIMS((from, next) -> isReviewedUnsent(from, next, 100)),
        A_ROW_IS_REVIEWED_FOR_ITS_DEADLINE((from, next) -> isReviewedUnsent(from, next, 98));

        private final BiPredicate<World, Transition> test;

        Moment(BiPredicate<World, Transition> test) {
            this.test = test;
        }

        private static boolean isRefusedReceipt(World from, Transition next, OutboxState because) {
            return next.step() instanceof Step.Settle settle
                    && settle.end() == Step.SettleEnd.LEASE_LOST
                    && from.operation(settle.operation()).row().state() == because
                    && from.operation(settle.operation()).delivery(settle.sender()) instanceof Delivery.Decided decided
                    && decided.next() == OutboxState.ACCEPTED;
        }

        private static boolean isReviewedUnsent(World from, Transition next, int claims) {
            return next.step() instanceof Step.Claim
                    && from.operation(0).command() != null
                    && from.operation(0).row().sendCount() == claims
                    && !from.operation(0).row().isSettled()
                    && next.to().operation(0).row().state() == OutboxState.REVIEW;
        }
    }

    @ParameterizedTest
    @EnumSource
    void theModelComesToEachMomentThatMatters(Moment moment) {
        boolean[] seen = new boolean[1];
        new Explorer(new Bounds(2, 2, 98), ALL, Set.of()).explore((from, next) -> {
            seen[0] |= moment.test.test(from, next);
            return !seen[0];
        });
        assertTrue(seen[0]);
    }
}
