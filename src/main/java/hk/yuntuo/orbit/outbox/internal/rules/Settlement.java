package hk.yuntuo.orbit.outbox.internal.rules;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What to write for a claimed row: one named constructor for each transition out of SENDING.
 *
 * @param state the next state
 * @param code the outcome
 * @param delay PENDING: the wait until the next send; otherwise zero
 * @param taskId ACCEPTED: the task
 * @param receiptJson ACCEPTED: the receipt; REVIEW: an invalid receipt, as evidence
 */
public record Settlement(
        OutboxState state,
        ResultCode code,
        Duration delay,
        @Nullable String taskId,
        @Nullable String receiptJson) {

    static Settlement accept(SubmitTaskResult receipt) {
        return new Settlement(
                OutboxState.ACCEPTED, ResultCode.ACCEPTED, Duration.ZERO, receipt.taskId(), receipt.receiptJson());
    }

    static Settlement retry(ResultCode code, Duration delay) {
        return new Settlement(OutboxState.PENDING, code, delay, null, null);
    }

    static Settlement review(ResultCode code) {
        return new Settlement(OutboxState.REVIEW, code, Duration.ZERO, null, null);
    }

    static Settlement reviewReceipt(SubmitTaskResult receipt) {
        return new Settlement(
                OutboxState.REVIEW, ResultCode.INVALID_RECEIPT, Duration.ZERO, null, receipt.receiptJson());
    }

    /** Leaves the receipt out. */
    @Override
    public String toString() {
        return "Settlement[state=" + state + ", code=" + code + ", delay=" + delay + ", taskId=" + taskId + "]";
    }
}
