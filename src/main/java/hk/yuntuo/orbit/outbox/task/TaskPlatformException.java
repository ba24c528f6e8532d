package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call to the task platform ended without a usable answer; the result code says how. There is one named constructor per kind.
 * Messages hold no token, body or receipt.
 */
public final class TaskPlatformException extends OutboxException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Duration retryAfter;

    private TaskPlatformException(
            ResultCode code, String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
        super(message, null, code, cause);
        this.retryAfter = retryAfter;
    }

    /**
     * No trustworthy answer: a network failure, a time-out, a 5xx, a success that cannot be read.
     *
     * @param message what happened
     * @param cause the cause, or null
     * @return the error, with {@link ResultCode#UNCONFIRMED}
     */
    public static TaskPlatformException unconfirmed(String message, @Nullable Throwable cause) {
        return new TaskPlatformException(ResultCode.UNCONFIRMED, message, null, cause);
    }

    /**
     * The platform asks for patience.
     *
     * @param message what happened
     * @param retryAfter how long the platform asks to wait, or null if it does not say
     * @return the error, with {@link ResultCode#BACKPRESSURE}
     */
    public static TaskPlatformException backpressure(String message, @Nullable Duration retryAfter) {
        return new TaskPlatformException(ResultCode.BACKPRESSURE, message, retryAfter, null);
    }

    /**
     * The credential was refused.
     *
     * @param message what happened
     * @return the error, with {@link ResultCode#AUTHORIZATION}
     */
    public static TaskPlatformException unauthorized(String message) {
        return new TaskPlatformException(ResultCode.AUTHORIZATION, message, null, null);
    }

    /**
     * The key is bound to other content.
     *
     * @param message what happened
     * @return the error, with {@link ResultCode#IDEMPOTENCY_CONFLICT}
     */
    public static TaskPlatformException conflict(String message) {
        return new TaskPlatformException(ResultCode.IDEMPOTENCY_CONFLICT, message, null, null);
    }

    /**
     * The platform rejected the call for another reason.
     *
     * @param message what happened
     * @return the error, with {@link ResultCode#HTTP_REJECTED}
     */
    public static TaskPlatformException rejected(String message) {
        return new TaskPlatformException(ResultCode.HTTP_REJECTED, message, null, null);
    }

    /**
     * How long the platform asked to wait.
     *
     * @return the wait, with {@link ResultCode#BACKPRESSURE} only; empty if the platform did not say
     */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
