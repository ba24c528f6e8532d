package hk.yuntuo.orbit.examples.taskoutbox.cli;

import org.jspecify.annotations.Nullable;

/** A command ends with a status other than OK; the message is for the user. */
final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus status;

    CommandFailedException(ExitStatus status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    ExitStatus status() {
        return status;
    }
}
