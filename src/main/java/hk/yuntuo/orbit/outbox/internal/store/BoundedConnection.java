package hk.yuntuo.orbit.outbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A pooled connection made ours for one transaction: READ COMMITTED, short waits on the server's side, and a network time-out that
 * never exceeds what is left of the transaction's time. {@link #restore} puts back what was found; a connection on which that fails is cut, so that no
 * pool hands it on.
 */
final class BoundedConnection {
    /** What the COMMIT always has left. */
    private static final Duration COMMIT_RESERVE = Duration.ofMillis(500);
    /** What putting back or rolling back may take, after the transaction. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(1);

    /** What a lock wait of one second can take: InnoDB looks at its waiters about once a second. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(2);

    private final Connection connection;
    private final Deadline deadline;
    private final boolean foundAutoCommit;
    private final int foundNetworkTimeout;
    private final String foundIsolation;
    /** The waits of the session, in the order in which they are read and put back. */
    private final long[] foundWaits = new long[5];

    private Duration lastAllowed = LOCK_WAIT;

    /** Called outside a transaction; statements on session variables start none. */
    BoundedConnection(Connection connection, Deadline deadline) throws SQLException {
        this.connection = connection;
        this.deadline = deadline;
        this.foundAutoCommit = connection.getAutoCommit();
        this.foundNetworkTimeout = connection.getNetworkTimeout();
        tighten();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery(Sql.READ_SESSION)) {
                row.next();
                foundIsolation = row.getString(1);
                for (int i = 0; i < foundWaits.length; i++) {
                    foundWaits[i] = row.getLong(i + 2);
                }
            }
            statement.execute(Sql.BOUND_SESSION);
        } catch (Throwable e) {
            cut(e);
            throw e;
        }
    }

    /** Whether another try could outlast a lock wait, so that it ends with MySQL's answer and not with a cut connection. */
    static boolean isWorthAnotherTry(Deadline deadline) {
        return deadline.remaining().compareTo(LOCK_WAIT.plus(COMMIT_RESERVE)) > 0;
    }

    /** The last statement began with less time than a lock wait takes, and used it up. */
    boolean isOutOfTimeForALockWait() {
        return lastAllowed.compareTo(LOCK_WAIT) < 0 && deadline.remaining().compareTo(COMMIT_RESERVE) <= 0;
    }

    Connection connection() {
        return connection;
    }

    /** Bounds the next statement by what is left of the work's time. */
    void tighten() throws SQLException {
        Duration left = requireTime();
        lastAllowed = left;
        allow(left);
    }

    /** What is left for the work; asks the clock only. */
    Duration requireTime() throws TransactionTimeoutException {
        Duration left = deadline.remaining().minus(COMMIT_RESERVE);
        if (left.toMillis() < 1) {
            throw new TransactionTimeoutException(deadline.limit());
        }
        return left;
    }

    void tightenForCommit() throws SQLException {
        tighten();
        allow(deadline.remaining());
    }

    /** For the statement that ends a failed transaction. */
    void allowRollback() throws SQLException {
        allow(AFTERWARDS);
    }

    /** For what Hibernate leaves open; it has put autocommit back where the pool had it, and then there is nothing left. */
    void rollback() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /**
     * Throws no exception, of whatever kind: the outcome stands by now, and the connection must still go back. Where autocommit has not been
     * put back by now, the transaction did not end well.
     */
    void restore() {
        try (PreparedStatement statement = connection.prepareStatement(Sql.RESTORE_SESSION)) {
            allow(AFTERWARDS);
            statement.setString(1, foundIsolation);
            for (int i = 0; i < foundWaits.length; i++) {
                statement.setLong(i + 2, foundWaits[i]);
            }
            statement.execute();
            connection.setNetworkTimeout(Runnable::run, foundNetworkTimeout);
            if (connection.getAutoCommit() != foundAutoCommit) {
                throw new SQLException("autocommit is not as it was found");
            }
        } catch (SQLException | RuntimeException e) {
            cut(e);
        } catch (Error e) {
            cut(e);
            throw e;
        }
    }

    private void allow(Duration time) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, time.toMillis()));
    }

    /** Ends the connection, and with it whatever is open on it. */
    void cut(Throwable reason) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            reason.addSuppressed(e);
        }
    }
}
