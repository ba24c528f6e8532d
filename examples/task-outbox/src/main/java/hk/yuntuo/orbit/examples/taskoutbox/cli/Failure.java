package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.model.ShutdownTimeoutException;
import hk.yuntuo.orbit.outbox.task.TaskPlatformException;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/**
 * What a user is told of an exception.
 *
 * @param status how the command ends
 * @param message one line
 */
record Failure(ExitStatus status, String message) {
    private static final Map<Class<? extends Exception>, ExitStatus> STATUS = Map.of(
            ParameterException.class, ExitStatus.INVALID_INPUT,
            InvalidInputException.class, ExitStatus.INVALID_INPUT,
            OutboxConflictException.class, ExitStatus.CONFLICT,
            CommitUnconfirmedException.class, ExitStatus.COMMIT_UNCONFIRMED,
            OutboxStorageException.class, ExitStatus.STORAGE,
            RetryableTransactionException.class, ExitStatus.RETRY,
            TaskPlatformException.class, ExitStatus.PLATFORM,
            ShutdownTimeoutException.class, ExitStatus.SHUTDOWN_TIMEOUT);

    private static final String CONNECTION_ERRORS = "08";

    static Failure of(Throwable error) {
        if (error instanceof CommandFailedException failed) {
            return new Failure(failed.status(), line(failed.getMessage()));
        }
        for (Map.Entry<Class<? extends Exception>, ExitStatus> rule : STATUS.entrySet()) {
            if (rule.getKey().isInstance(error)) {
                return new Failure(rule.getValue(), line(error.getMessage()));
            }
        }
        SQLException sql = sqlException(error);
        return sql == null
                ? new Failure(ExitStatus.FAILURE, line(error.getClass().getSimpleName() + ": " + error.getMessage()))
                : new Failure(ExitStatus.STORAGE, line(described(sql)));
    }

    /** Without MySQL's message, which can quote business data. */
    private static String described(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return (state.startsWith(CONNECTION_ERRORS)
                        ? "The business database cannot be reached"
                        : "The business database refused")
                + " (MySQL error " + e.getErrorCode() + ", SQLSTATE " + state + ").";
    }

    /** The first SQL error that says more than that a connection is missing. */
    private static @Nullable SQLException sqlException(Throwable error) {
        SQLException found = null;
        for (Throwable e = error; e != null; e = e.getCause() == e ? null : e.getCause()) {
            if (e instanceof SQLException sql && (found == null || found.getSQLState() == null)) {
                found = sql;
            }
        }
        return found;
    }

    private static String line(@Nullable String text) {
        return String.valueOf(text).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    }

    /** The line for standard error. */
    @Override
    public String toString() {
        return "error=" + status.word() + " " + message;
    }
}
