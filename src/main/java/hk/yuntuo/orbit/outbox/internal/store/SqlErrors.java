package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What MySQL's error numbers mean here. Source: MySQL's server error reference. */
public final class SqlErrors {
    private static final int DUPLICATE_KEY = 1062;
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int DEADLOCK = 1213;
    private static final int NO_SUCH_SAVEPOINT = 1305;

    private SqlErrors() {}

    static boolean isDuplicateKey(SQLException e) {
        return e.getErrorCode() == DUPLICATE_KEY;
    }

    static boolean isSavepointMissing(SQLException e) {
        return e.getErrorCode() == NO_SUCH_SAVEPOINT;
    }

    /**
     * Whether the transaction ended for the locks of others, so that running it again can succeed. A deadlock has rolled it back; a
     * lock wait time-out has undone its statement only, which is why the whole must be rolled back by the one who asks.
     */
    public static boolean isLockFailure(@Nullable Throwable error) {
        SQLException e = sqlException(error);
        return e != null && (e.getErrorCode() == DEADLOCK || e.getErrorCode() == LOCK_WAIT_TIMEOUT);
    }

    /** Whether the connection broke, or was cut by its network time-out. */
    static boolean isConnectionFailure(@Nullable Throwable error) {
        SQLException e = sqlException(error);
        String state = e == null ? null : e.getSQLState();
        return state != null && state.startsWith("08");
    }

    /** Whether the server answered a COMMIT with a rollback: SQLSTATE class 40, except 40003, "statement completion unknown". */
    static boolean isRollbackAnswer(@Nullable Throwable error) {
        SQLException e = sqlException(error);
        return e != null && isRollbackState(e.getSQLState());
    }

    /**
     * Whether the server's answers that a transaction manager has collected all say rollback. It keeps them as suppressed exceptions, one
     * for each resource; what one resource has rolled back, another may have committed.
     */
    static boolean areAllRollbackAnswers(Throwable error) {
        List<SQLException> answers = new ArrayList<>();
        collect(error, answers, Collections.newSetFromMap(new IdentityHashMap<>()));
        return !answers.isEmpty() && answers.stream().allMatch(e -> isRollbackState(e.getSQLState()));
    }

    private static void collect(@Nullable Throwable error, List<SQLException> answers, Set<Throwable> seen) {
        if (error == null || !seen.add(error)) {
            return;
        }
        if (error instanceof SQLException e) {
            answers.add(e);
        }
        collect(error.getCause(), answers, seen);
        for (Throwable suppressed : error.getSuppressed()) {
            collect(suppressed, answers, seen);
        }
    }

    /** XA1xx is what MySQL answers of an XA branch that it has rolled back or can only roll back. */
    private static boolean isRollbackState(@Nullable String state) {
        return state != null && (state.startsWith("40") && !state.equals("40003") || state.startsWith("XA1"));
    }

    /** The SQL error behind an error, or null. */
    static @Nullable SQLException sqlException(@Nullable Throwable error) {
        for (Throwable e = error; e != null; e = e.getCause() == e ? null : e.getCause()) {
            if (e instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }

    public static RetryableTransactionException retryable(@Nullable String operationId, Throwable cause) {
        return new RetryableTransactionException(
                "The transaction" + of(operationId) + " was ended for the locks of others (" + describe(cause)
                        + "): nothing of it may be committed. Run the whole transaction again with the same operation id.",
                operationId,
                cause);
    }

    static OutboxStorageException storage(@Nullable String operationId, Throwable cause) {
        return new OutboxStorageException(
                "The database failed or refused the transaction" + of(operationId) + " (" + describe(cause)
                        + "). What the database holds is what counts; nothing can be inferred about the platform.",
                operationId,
                cause);
    }

    private static String of(@Nullable String operationId) {
        return operationId == null ? "" : " of operation " + operationId;
    }

    /** An error's number and state, without its message, which can quote data. */
    static String describe(@Nullable Throwable error) {
        SQLException e = sqlException(error);
        if (e == null || e.getErrorCode() == 0 && e.getSQLState() == null) {
            Throwable shown = e == null ? error : e;
            return shown == null ? "no error" : shown.getClass().getSimpleName();
        }
        return "MySQL error " + e.getErrorCode() + ", SQLSTATE " + e.getSQLState() + hint(e.getErrorCode());
    }

    private static String hint(int code) {
        return switch (code) {
            case 1044, 1142, 1143 -> ": the database user lacks a privilege";
            case 1045 -> ": the database user or its password is wrong";
            case 1049 -> ": the schema is missing";
            case 1054, 1146 -> ": sender_outbox is missing or another one; include orbit-outbox/sender-outbox.sql";
            case 1290, 1792 -> ": the server or the transaction is read-only";
            default -> "";
        };
    }
}
