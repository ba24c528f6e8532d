package hk.yuntuo.orbit.outbox.internal.guard;

import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import java.lang.ref.WeakReference;
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
 * entity event tells of: bulk JPQL, native DML, locking reads. An inspector is not told whose statement it sees; the session is the one
 * whose query or lock was announced last on this thread.
 */
public final class StatementWatch implements StatementInspector {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(StatementWatch.class);
    private static final ThreadLocal<@Nullable WeakReference<SharedSessionContractImplementor>> ANNOUNCED =
            new ThreadLocal<>();

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

    /** The next statements of this thread are the session's. */
    static void announce(SharedSessionContractImplementor session) {
        ANNOUNCED.set(new WeakReference<>(session));
    }

    /** The next statements of this thread are told of by entity events. */
    static void silence() {
        ANNOUNCED.remove();
    }

    @Override
    public @Nullable String inspect(String sql) {
        if (watching) {
            note(sql);
        }
        return own == null ? sql : own.inspect(sql);
    }

    private static void note(String sql) {
        WeakReference<SharedSessionContractImplementor> announced = ANNOUNCED.get();
        SharedSessionContractImplementor session = announced == null ? null : announced.get();
        if (session != null
                && BusinessSql.writesOrLocks(sql)
                && !session.isClosed()
                && session.isTransactionInProgress()) {
            TransactionJournal.of(session).noteWrite(BusinessSql.shown(sql));
        }
    }
}
