package hk.yuntuo.orbit.outbox.internal.store;

import jakarta.persistence.EntityManager;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.engine.jdbc.connections.spi.JdbcConnectionAccess;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction on a plain connection of a JTA unit, in no JTA transaction. In one, the pool would take the connection back within the
 * COMMIT, before anything could be put back, and only the transaction manager would hear how the COMMIT ended.
 */
final class ConnectionUnit extends Unit {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionUnit.class);

    private final Lender lender;
    private final boolean foundAutoCommit;
    private boolean isOver;

    private ConnectionUnit(Lender lender, BoundedConnection bounded, boolean foundAutoCommit) {
        super(bounded);
        this.lender = lender;
        this.foundAutoCommit = foundAutoCommit;
    }

    /** The deadline stands still without a connection: waiting for the pool is the pool's to bound. */
    static Unit begin(SessionFactory factory, Deadline deadline) throws SQLException {
        deadline.stop();
        Lender lender = Lender.outsideOfJta(factory);
        try {
            Connection connection = lender.borrow();
            deadline.start();
            return begin(lender, new BoundedConnection(connection, deadline));
        } catch (Throwable e) {
            lender.takeBack();
            throw e;
        }
    }

    private static Unit begin(Lender lender, BoundedConnection bounded) throws SQLException {
        try {
            boolean autoCommit = bounded.connection().getAutoCommit();
            if (autoCommit) {
                bounded.connection().setAutoCommit(false);
            }
            return new ConnectionUnit(lender, bounded, autoCommit);
        } catch (Throwable e) {
            bounded.cut(e);
            throw e;
        }
    }

    @Override
    public EntityManager entityManager() {
        throw new IllegalStateException("this transaction has no session");
    }

    @Override
    void commit(@Nullable String operationId) throws SQLException {
        try {
            bounded.tightenForCommit();
        } catch (Throwable e) {
            rollback(e);
            throw e;
        }
        try {
            bounded.connection().commit();
            isOver = true;
        } catch (Throwable e) {
            rollback(e);
            if (SqlErrors.isRollbackAnswer(e)) {
                throw e;
            }
            throw CommitProbe.unconfirmed(operationId, e);
        }
    }

    @Override
    void rollback(Throwable reason) {
        attempt(reason, bounded::allowRollback);
        attempt(reason, () -> {
            bounded.connection().rollback();
            isOver = true;
        });
    }

    /** Autocommit that is switched on again commits what is still open. */
    @Override
    public void close() {
        try {
            if (isOver && foundAutoCommit) {
                isOver = isPutBack();
            }
            if (isOver) {
                bounded.restore();
            } else {
                bounded.cut(new IllegalStateException("the transaction could not be rolled back"));
            }
        } catch (Error e) {
            bounded.cut(e);
            throw e;
        } finally {
            lender.takeBack();
        }
    }

    private boolean isPutBack() {
        try {
            bounded.allowRollback();
            bounded.connection().setAutoCommit(true);
            return true;
        } catch (SQLException | RuntimeException e) {
            LOG.warn("outbox.autocommit.failed {}", e.toString());
            return false;
        }
    }

    /** Lends a connection to a thread whose JTA transaction is set aside meanwhile. */
    private static final class Lender {
        private final JtaThread thread;
        private final @Nullable Transaction callers;
        private final SharedSessionContractImplementor session;
        private @Nullable Connection lent;

        private Lender(JtaThread thread, @Nullable Transaction callers, SharedSessionContractImplementor session) {
            this.thread = thread;
            this.callers = callers;
            this.session = session;
        }

        static Lender outsideOfJta(SessionFactory factory) {
            JtaThread thread = JtaThread.of(factory.unwrap(org.hibernate.engine.spi.SessionFactoryImplementor.class)
                    .getServiceRegistry()
                    .requireService(JtaPlatform.class));
            Session session = factory.withOptions().autoJoinTransactions(false).openSession();
            try {
                return new Lender(thread, thread.setAside(), session.unwrap(SharedSessionContractImplementor.class));
            } catch (SystemException e) {
                session.close();
                throw SqlErrors.storage(null, e);
            } catch (Throwable e) {
                session.close();
                throw e;
            }
        }

        Connection borrow() throws SQLException {
            Connection connection = access().obtainConnection();
            lent = connection;
            return connection;
        }

        private JdbcConnectionAccess access() {
            return session.getJdbcConnectionAccess();
        }

        /**
         * The outcome stands by now; what a pool throws at giving back does not change it.
         *
         * @throws IllegalStateException if the caller's transaction could not be resumed: it would go on outside of it
         */
        void takeBack() {
            try {
                quietly(() -> {
                    if (lent != null) {
                        access().releaseConnection(lent);
                    }
                });
                quietly(session::close);
            } finally {
                resume();
            }
        }

        private void resume() {
            try {
                if (callers != null) {
                    thread.takeUp(callers);
                }
            } catch (InvalidTransactionException | SystemException e) {
                throw new IllegalStateException("the caller's JTA transaction could not be resumed", e);
            }
        }

        private static void quietly(AutoCloseable step) {
            try {
                step.close();
            } catch (Exception e) {
                LOG.warn("outbox.close.failed {}", e.toString());
            }
        }
    }
}
