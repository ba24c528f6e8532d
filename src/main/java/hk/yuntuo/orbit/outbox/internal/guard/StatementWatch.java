package hk.yuntuo.orbit.outbox.internal.guard;

import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import java.lang.ref.WeakReference;
import org.hibernate.SessionEventListener;
import org.hibernate.boot.internal.SessionFactoryOptionsBuilder;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees the statements of a unit, in front of the application's own inspector, and notes those that write or lock business rows and that no
 * entity event tells of: bulk JPQL, native DML, locking reads. An inspector is not told whose statement it sees; it is believed to be of
 * the session whose query or lock was announced last on this thread, once that session says that it prepares a statement.
 */
public final class StatementWatch implements StatementInspector {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(StatementWatch.class);
    private static final ThreadLocal<@Nullable Announced> ANNOUNCED = new ThreadLocal<>();

    /** The application's. */
    private final @Nullable StatementInspector own;

    private volatile boolean watching;

    private StatementWatch(@Nullable StatementInspector own) {
        this.own = own;
    }

    /** Takes its place in a unit that is being built; until {@link #begin} it only passes statements on. */
    public static void install(SessionFactoryImplementor factory) {
        SessionFactoryOptions options = factory.getSessionFactoryOptions();
        if (options instanceof SessionFactoryOptionsBuilder builder) {
            builder.applyStatementInspector(new StatementWatch(options.getStatementInspector()));
        }
    }

    static StatementWatch of(SessionFactoryImplementor factory) {
        if (factory.getSessionFactoryOptions().getStatementInspector() instanceof StatementWatch watch) {
            return watch;
        }
        LOG.warn("outbox.order.blind bulk and native statements of this unit are not seen by the guard");
        return new StatementWatch(null);
    }

    synchronized void begin(SessionFactoryImplementor factory) {
        if (!watching) {
            watching = true;
            BusinessWork.listenTo(factory);
        }
    }

    /** The next statements of this thread are the session's, as far as it prepares them. */
    static void announce(SharedSessionContractImplementor session) {
        Announced before = ANNOUNCED.get();
        if (before == null || before.session.get() != session) {
            silence();
            ANNOUNCED.set(new Announced(new WeakReference<>(session)));
        } else {
            before.silent = false;
        }
    }

    /** The next statements of this thread are told of by entity events. */
    static void silence() {
        Announced before = ANNOUNCED.get();
        if (before != null) {
            before.inspected = null;
            before.silent = true; // it stays: a session cannot take a listener back
        }
    }

    @Override
    public @Nullable String inspect(String sql) {
        if (watching) {
            Announced announced = ANNOUNCED.get();
            if (announced != null && !announced.silent) {
                announced.inspect(sql);
            }
        }
        return own == null ? sql : own.inspect(sql);
    }

    /** A session, and the statement that it is to prepare next if it is its own: another's is inspected on this thread too. */
    private static final class Announced implements SessionEventListener {
        private static final long serialVersionUID = 1L;

        private final transient WeakReference<SharedSessionContractImplementor> session;
        private boolean silent;
        private boolean listening;
        private @Nullable String inspected;

        Announced(WeakReference<SharedSessionContractImplementor> session) {
            this.session = session;
        }

        void inspect(String sql) {
            inspected = null;
            SharedSessionContractImplementor open = session.get();
            if (open != null && BusinessSql.writesOrLocks(sql) && !open.isClosed() && open.isTransactionInProgress()) {
                inspected = sql;
                if (!listening) {
                    listening = true;
                    owner(open).getEventListenerManager().addListener(this);
                }
            }
        }

        /** A session that shares another's connection prepares its statements as the other. */
        private static SharedSessionContractImplementor owner(SharedSessionContractImplementor session) {
            return session.getJdbcCoordinator().getJdbcSessionOwner() instanceof SharedSessionContractImplementor owner
                    ? owner
                    : session;
        }

        @Override
        public void jdbcPrepareStatementStart() {
            SharedSessionContractImplementor open = session.get();
            if (inspected != null && open != null) {
                TransactionJournal.of(open).noteWrite(BusinessSql.shown(inspected));
                inspected = null;
            }
        }
    }
}
