package hk.yuntuo.orbit.outbox.internal.rules;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** State x outcome x budget to settlement, as pure functions. */
public final class SettlementRules {
    private SettlementRules() {}

    /**
     * Whether a due row's budget is spent.
     *
     * @return the code to review it with, or empty if it may be leased
     */
    public static Optional<ResultCode> spentBudget(OutboxRecord due, Instant now) {
        if (due.sendCount() >= Limits.MAX_CLAIMS) {
            return Optional.of(ResultCode.SEND_BUDGET_EXHAUSTED);
        }
        return now.isBefore(due.sendDeadlineAt()) ? Optional.empty() : Optional.of(ResultCode.SEND_DEADLINE);
    }

    /**
     * What to write for a claimed row.
     *
     * @param claimed the row under its lease
     * @param outcome how its delivery ended
     * @param jitterMillis 0 to 999, drawn by the caller
     */
    public static Settlement settle(OutboxRecord claimed, Outcome outcome, int jitterMillis) {
        if (outcome instanceof Outcome.Answered answered) {
            SubmitTaskResult receipt = answered.receipt();
            return isFor(claimed, receipt) ? Settlement.accept(receipt) : Settlement.reviewReceipt(receipt);
        }
        Outcome.Failed failed = (Outcome.Failed) outcome;
        return switch (failed.code()) {
            case UNCONFIRMED, BACKPRESSURE ->
                claimed.sendCount() >= Limits.MAX_CLAIMS
                        ? Settlement.review(ResultCode.SEND_BUDGET_EXHAUSTED)
                        : Settlement.retry(failed.code(), wait(claimed.sendCount(), failed.retryAfter(), jitterMillis));
            case AUTHORIZATION, IDEMPOTENCY_CONFLICT, HTTP_REJECTED, INVALID_DOCUMENT, TARGET_MISMATCH ->
                Settlement.review(failed.code());
            case ACCEPTED, INVALID_RECEIPT, SEND_BUDGET_EXHAUSTED, SEND_DEADLINE ->
                throw new IllegalArgumentException(failed.code() + " is not how a delivery fails");
        };
    }

    /**
     * The wait before the next send: 1, 2, 4 ... 60 seconds and jitter, or what the platform asks for if that is longer; one hour at
     * most.
     */
    static Duration wait(int sendCount, @Nullable Duration retryAfter, int jitterMillis) {
        long seconds = Math.min(1L << Math.min(sendCount - 1, 6), Limits.MAX_BACKOFF.toSeconds());
        Duration backoff = Duration.ofSeconds(seconds).plusMillis(jitterMillis);
        Duration wait = retryAfter != null && retryAfter.compareTo(backoff) > 0 ? retryAfter : backoff;
        return wait.compareTo(Limits.MAX_WAIT) > 0 ? Limits.MAX_WAIT : wait;
    }

    private static boolean isFor(OutboxRecord claimed, SubmitTaskResult receipt) {
        return receipt.namespaceId().equals(claimed.namespaceId())
                && receipt.queueId().equals(claimed.queueId())
                && receipt.submissionKey().equals(claimed.submissionKey());
    }
}
