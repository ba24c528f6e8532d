package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import org.hibernate.SessionFactory;
import org.jspecify.annotations.Nullable;

/** One transaction of this library's own, on a connection whose settings are put back before the pool sees it again. */
public abstract class Unit implements AutoCloseable {
    final BoundedConnection bounded;

    Unit(BoundedConnection bounded) {
        this.bounded = bounded;
    }

    static Unit begin(EntityManagerFactory factory, Deadline deadline) throws SQLException {
        SessionFactory sessions = factory.unwrap(SessionFactory.class);
        return UnitSettings.isJta(factory)
                ? ConnectionUnit.begin(sessions, deadline)
                : SessionUnit.begin(sessions, deadline);
    }

    /** The connection, for the next statement, which may take what is left of the time. */
    public final Connection connection() throws SQLException {
        bounded.tighten();
        return bounded.connection();
    }

    /** Bounds the next statement by what is left of the time. */
    public final void tighten() throws SQLException {
        bounded.tighten();
    }

    /** Throws if the time is up, whether or not a statement follows. */
    public final void requireTime() throws SQLException {
        bounded.requireTime();
    }

    /** A session as an application may use it; each of its statements may take what is left of the time. */
    public abstract EntityManager entityManager();

    /** Whether a statement may have met a lock when there was no time left to outlast it, so that the network time-out came first. */
    final boolean wasCutWithinALockWait(Throwable error) {
        return SqlErrors.isConnectionFailure(error) && bounded.isOutOfTimeForALockWait();
    }

    /**
     * Commits; returns only if that is confirmed.
     *
     * @throws CommitUnconfirmedException if the COMMIT got no answer
     */
    abstract void commit(@Nullable String operationId) throws SQLException;

    /** Rolls back whatever is left, also after a COMMIT that the server refused. */
    abstract void rollback(Throwable reason);

    /** Throws nothing: the outcome stands by now. */
    @Override
    public abstract void close();

    static void attempt(Throwable reason, Step step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException e) {
            if (e != reason) {
                reason.addSuppressed(e);
            }
        }
    }

    @FunctionalInterface
    interface Step {
        void run() throws SQLException;
    }
}
