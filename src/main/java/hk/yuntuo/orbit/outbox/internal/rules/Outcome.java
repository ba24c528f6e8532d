package hk.yuntuo.orbit.outbox.internal.rules;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a delivery ended. */
public sealed interface Outcome {
    /**
     * The platform answered with a receipt, for whatever target.
     *
     * @param receipt the receipt
     */
    record Answered(SubmitTaskResult receipt) implements Outcome {}

    /**
     * The delivery ended without a receipt.
     *
     * @param code why; every code but ACCEPTED, INVALID_RECEIPT and those of spent budgets
     * @param retryAfter how long the platform asked to wait, if it did
     */
    record Failed(ResultCode code, @Nullable Duration retryAfter) implements Outcome {}
}
