package hk.yuntuo.orbit.outbox.internal.store;

import jakarta.persistence.EntityManager;
import jakarta.persistence.RollbackException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.hibernate.ConnectionAcquisitionMode;
import org.hibernate.ConnectionReleaseMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.resource.jdbc.spi.StatementInspector;

/**
 * One transaction on a session of its own, which holds its connection until it is closed: the session's settings are put back after
 * the COMMIT and before the pool sees the connection again.
 */
public final class Unit implements AutoCloseable {
    private final Session session;
    private final BoundedConnection bounded;

    private Unit(Session session, BoundedConnection bounded) {
        this.session = session;
        this.bounded = bounded;
    }

    static Unit begin(SessionFactory factory, Deadline deadline) throws SQLException {
        Tightening tightening = new Tightening(factory);
        Session session = factory.withOptions()
                .connectionHandling(ConnectionAcquisitionMode.AS_NEEDED, ConnectionReleaseMode.ON_CLOSE)
                .statementInspector(tightening)
                .openSession();
        try {
            Connection connection = session.doReturningWork(c -> c);
            BoundedConnection bounded = new BoundedConnection(connection, deadline);
            tightening.bounded = bounded;
            Unit unit = new Unit(session, bounded);
            unit.beginTransaction();
            return unit;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** The connection, for the next statement, which may take what is left of the time. */
    public Connection connection() throws SQLException {
        bounded.tighten();
        return bounded.connection();
    }

    /** The session as an application may use it; each of its statements may take what is left of the time. */
    public EntityManager entityManager() {
        return session;
    }

    void commit() throws SQLException {
        if (session.getTransaction().getRollbackOnly()) {
            throw new RollbackException("the transaction was marked for rollback");
        }
        bounded.tightenForCommit();
        session.getTransaction().commit();
    }

    /** Rolls back whatever is left, also after a COMMIT that the server refused. */
    void rollback(Throwable reason) {
        try {
            bounded.allowRollback();
            session.getTransaction().rollback();
            bounded.connection().rollback();
        } catch (SQLException | RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    @Override
    public void close() {
        bounded.restore();
        session.close();
    }

    private void beginTransaction() {
        try {
            session.beginTransaction();
        } catch (RuntimeException e) {
            bounded.restore();
            throw e;
        }
    }

    /** Tightens the network time-out before each statement Hibernate prepares, after the application's own inspector. */
    private static final class Tightening implements UnaryOperator<String> {
        private final StatementInspector configured;
        private volatile BoundedConnection bounded;

        Tightening(SessionFactory factory) {
            StatementInspector own = factory.unwrap(SessionFactoryImplementor.class)
                    .getSessionFactoryOptions()
                    .getStatementInspector();
            configured = own == null ? sql -> sql : own;
        }

        @Override
        public String apply(String sql) {
            if (bounded != null) {
                try {
                    bounded.tighten();
                } catch (SQLException e) {
                    throw new TimeUpException(e);
                }
            }
            return configured.inspect(sql);
        }
    }

    private static final class TimeUpException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TimeUpException(SQLException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
