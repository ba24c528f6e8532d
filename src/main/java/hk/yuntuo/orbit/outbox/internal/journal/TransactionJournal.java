package hk.yuntuo.orbit.outbox.internal.journal;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.engine.jdbc.spi.JdbcCoordinator;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionObserver;
import org.hibernate.resource.transaction.spi.TransactionStatus;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one open transaction. It is made by the first enqueue or guarded write and forgotten when the transaction ends. It is
 * an observer and no synchronization, because Hibernate fails if one is registered while others run; of a JTA transaction the
 * transaction manager tells, too. Used by the thread that runs the transaction, but for its end.
 */
public final class TransactionJournal implements TransactionObserver {
    /** By coordinator, which sessions that share a transaction share too. */
    private static final Map<TransactionCoordinator, TransactionJournal> OPEN = new ConcurrentHashMap<>();
    /** How many new journals lie between two searches for those whose transaction died without saying so. */
    static final int SEARCH_INTERVAL = 1_024;

    private static final AtomicInteger CREATED = new AtomicInteger();

    private final TransactionCoordinator coordinator;
    private final SessionFactoryImplementor factory;
    private final JdbcCoordinator jdbc;
    private final TransactionCommands commands = new TransactionCommands();
    private final Set<Runnable> afterCommit = new LinkedHashSet<>();
    private @Nullable String firstWrite;
    private boolean warned;
    private boolean isCompleting;
    private volatile boolean isOver;

    private TransactionJournal(SharedSessionContractImplementor session) {
        this.coordinator = session.getTransactionCoordinator();
        this.factory = session.getFactory();
        this.jdbc = session.getJdbcCoordinator();
    }

    /** The journal of the session's active transaction. */
    public static TransactionJournal of(SharedSessionContractImplementor session) {
        TransactionCoordinator coordinator = session.getTransactionCoordinator();
        TransactionJournal open = OPEN.get(coordinator);
        if (open != null) {
            return open;
        }
        TransactionJournal journal = new TransactionJournal(session);
        coordinator.addObserver(journal);
        OPEN.put(coordinator, journal);
        if (journal.isJta()) {
            JtaEnd.tell(journal, journal.factory.getServiceRegistry().requireService(JtaPlatform.class));
        }
        if (CREATED.incrementAndGet() % SEARCH_INTERVAL == 0) {
            forgetTheDead();
        }
        return journal;
    }

    /** The journal, if the session's transaction has one. */
    public static @Nullable TransactionJournal existing(SharedSessionContractImplementor session) {
        return OPEN.get(session.getTransactionCoordinator());
    }

    /** A unit may be closed over transactions that nobody will end. */
    public static void forgetThoseOf(SessionFactoryImplementor factory) {
        OPEN.values().removeIf(journal -> journal.factory == factory);
    }

    /**
     * A connection that dies in the rollback takes its completion with it, and so does a session that is closed in the middle. Of a JTA
     * transaction the transaction manager tells.
     */
    private static void forgetTheDead() {
        OPEN.values().removeIf(TransactionJournal::isDead);
    }

    private boolean isDead() {
        return !isJta() && (!jdbc.getLogicalConnection().isOpen() || !coordinator.isTransactionActive());
    }

    private boolean isJta() {
        return coordinator.getTransactionCoordinatorBuilder().isJta();
    }

    /**
     * Runs the action once if the transaction is told to have committed, however often it is given. A JTA transaction manager also tells so
     * of a COMMIT that got no answer.
     */
    public void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    /** The commands of the transaction. */
    public TransactionCommands commands() {
        return commands;
    }

    /** Makes the journal complete behind the sessions that share the transaction by now: they flush as observers. */
    public void completeLast() {
        coordinator.removeObserver(this);
        coordinator.addObserver(this);
    }

    /** Keeps the first only. */
    public void noteWrite(String description) {
        if (firstWrite == null) {
            firstWrite = description;
        }
    }

    public Optional<String> firstWrite() {
        return Optional.ofNullable(firstWrite);
    }

    /** True the first time. */
    public boolean mayWarn() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    /** An end that was not told of, because code of an application failed in it, is over now. Not called under JTA. */
    @Override
    public void afterBegin() {
        forget();
    }

    /**
     * Runs after Hibernate's flush and after all synchronizations, which may flush too. Under JTA it runs after a failed flush as well. A mark
     * for rollback that a resource-local transaction got since its commit began would be ignored by Hibernate.
     */
    @Override
    public void beforeCompletion() {
        isCompleting = true;
        if (coordinator.getTransactionDriverControl().getStatus() == TransactionStatus.MARKED_ROLLBACK) {
            if (isJta()) {
                return;
            }
            throw new IllegalStateException("The transaction was marked for rollback within its commit");
        }
        commands.complete();
    }

    /** Whether commands have no rows yet and Hibernate, which would insert or withdraw them, has not taken part in the end so far. */
    boolean lacksFlush() {
        return !isCompleting && commands.awaitRows();
    }

    @Override
    public void afterCompletion(boolean successful, boolean delayed) {
        forget();
        over(successful);
    }

    /** On any thread, and perhaps once more by the other teller. */
    void over(boolean committed) {
        OPEN.remove(coordinator, this);
        if (!isOver) {
            isOver = true;
            if (committed) {
                afterCommit.forEach(Runnable::run);
            }
        }
    }

    private void forget() {
        OPEN.remove(coordinator, this);
        coordinator.removeObserver(this);
    }
}
