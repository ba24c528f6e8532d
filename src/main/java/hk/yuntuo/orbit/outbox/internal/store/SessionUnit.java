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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction on a session of its own, which holds its connection until it is closed: the session's settings are put back after
 * the COMMIT and before the pool sees the connection again.
 */
final class SessionUnit extends Unit {
    private static final Logger LOG = LoggerFactory.getLogger(SessionUnit.class);

    private final Session session;
    private final CommitProbe probe;

    private SessionUnit(Session session, BoundedConnection bounded) {
        super(bounded);
        this.session = session;
        this.probe = CommitProbe.on(session);
    }

    /** The deadline stands still without a connection: waiting for the pool is the pool's to bound. */
    static Unit begin(SessionFactory factory, Deadline deadline) throws SQLException {
        Tightening tightening = new Tightening(factory);
        Session session = factory.withOptions()
                .connectionHandling(ConnectionAcquisitionMode.AS_NEEDED, ConnectionReleaseMode.ON_CLOSE)
                .statementInspector(tightening)
                .openSession();
        try {
            deadline.stop();
            Connection connection = session.doReturningWork(c -> c);
            UnitSettings.requireManualCommit(factory, connection);
            deadline.start();
            tightening.bounded = new BoundedConnection(connection, deadline);
            return begin(session, tightening.bounded);
        } catch (Throwable e) {
            close(session);
            throw e;
        }
    }

    private static Unit begin(Session session, BoundedConnection bounded) {
        try {
            session.beginTransaction();
            return new SessionUnit(session, bounded);
        } catch (Throwable e) {
            attempt(e, () -> session.getTransaction().rollback());
            attempt(e, bounded::rollback);
            bounded.restore();
            throw e;
        }
    }

    @Override
    public EntityManager entityManager() {
        return session;
    }

    @Override
    void commit(@Nullable String operationId) throws SQLException {
        try {
            if (session.getTransaction().getRollbackOnly()) {
                throw new RollbackException("the transaction was marked for rollback");
            }
            bounded.tightenForCommit();
            session.getTransaction().commit();
        } catch (Throwable e) {
            if (probe.committed(operationId, e)) {
                return;
            }
            rollback(e);
            if (probe.unanswered(e)) {
                throw CommitProbe.unconfirmed(operationId, e);
            }
            throw e;
        }
        if (!probe.isCommitted()) {
            throw new RollbackException("the transaction was marked for rollback while it was committed");
        }
    }

    /**
     * Rolls back whatever is left, also after a COMMIT that the server refused. Each step is taken whatever became of the one before:
     * on a dead connection all fail, and Hibernate must hear of it all the same, or it never gives the connection back.
     */
    @Override
    void rollback(Throwable reason) {
        attempt(reason, bounded::allowRollback);
        attempt(reason, () -> session.getTransaction().rollback());
        attempt(reason, bounded::rollback);
    }

    /** The outcome stands by now; what a pool throws at giving back does not change it. */
    @Override
    public void close() {
        try {
            bounded.restore();
        } finally {
            close(session);
        }
    }

    private static void close(Session session) {
        try {
            session.close();
        } catch (RuntimeException e) {
            LOG.warn("outbox.close.failed {}", e.toString());
        }
    }

    /** Tightens the network time-out before each statement Hibernate prepares, after the application's own inspector. */
    private static final class Tightening implements UnaryOperator<String> {
        private final StatementInspector configured;
        private volatile @Nullable BoundedConnection bounded;

        Tightening(SessionFactory factory) {
            StatementInspector own = factory.unwrap(SessionFactoryImplementor.class)
                    .getSessionFactoryOptions()
                    .getStatementInspector();
            configured = own == null ? sql -> sql : own;
        }

        @Override
        public String apply(String sql) {
            TransactionSql.refuse(sql);
            BoundedConnection connection = bounded;
            if (connection != null) {
                try {
                    connection.tighten();
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
