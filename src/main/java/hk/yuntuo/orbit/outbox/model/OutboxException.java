package hk.yuntuo.orbit.outbox.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The base of every error the outbox reports. Messages never hold tokens, request bodies or receipts.
 */
public class OutboxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The operation, if it is about one. */
    private final @Nullable String operationId;

    /** The code, if it stands for one. */
    private final @Nullable ResultCode resultCode;

    /**
     * Creates the error.
     *
     * @param message what happened, to which operation, and what to do next
     * @param operationId the operation it is about, or null
     * @param resultCode the result code it stands for, or null
     * @param cause the cause, or null
     */
    protected OutboxException(
            String message, @Nullable String operationId, @Nullable ResultCode resultCode, @Nullable Throwable cause) {
        super(message, cause);
        this.operationId = operationId;
        this.resultCode = resultCode;
    }

    /**
     * The operation the error is about.
     *
     * @return its id; empty when the error is about no single operation
     */
    public Optional<String> operationId() {
        return Optional.ofNullable(operationId);
    }

    /**
     * The result code the error stands for.
     *
     * @return the code; empty when there is none
     */
    public Optional<ResultCode> resultCode() {
        return Optional.ofNullable(resultCode);
    }
}
