package hk.yuntuo.orbit.outbox.internal.journal;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionObserver;
import org.hibernate.resource.transaction.spi.TransactionStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of one open transaction. It is made by the first enqueue or guarded write and forgotten when the transaction ends. It is
 * an observer and no synchronization, because Hibernate fails if one is registered while others run. Used by the thread that runs the
 * transaction.
 */
public final class TransactionJournal implements TransactionObserver {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionJournal.class);
    /** By coordinator, which sessions that share a transaction share too. */
    private static final Map<TransactionCoordinator, TransactionJournal> OPEN = new ConcurrentHashMap<>();
    /** How many new journals lie between two searches for those whose transaction died without saying so. */
    static final int SEARCH_INTERVAL = 1_024;

    private static final AtomicInteger CREATED = new AtomicInteger();

    private final TransactionCoordinator coordinator;
    private final SessionFactoryImplementor factory;
    private final Map<CommandId, Command> commands = new HashMap<>();
    private final Map<Object, Command> awaitingRow = new IdentityHashMap<>();
    private final Map<EntityKey, Command> withRow = new HashMap<>();
    private final Set<Runnable> afterCommit = new LinkedHashSet<>();
    private @Nullable String firstWrite;
    private boolean warned;

    private TransactionJournal(TransactionCoordinator coordinator, SessionFactoryImplementor factory) {
        this.coordinator = coordinator;
        this.factory = factory;
    }

    /** The journal of the session's active transaction. */
    public static TransactionJournal of(SharedSessionContractImplementor session) {
        TransactionCoordinator coordinator = session.getTransactionCoordinator();
        TransactionJournal open = OPEN.get(coordinator);
        if (open != null) {
            return open;
        }
        TransactionJournal journal = new TransactionJournal(coordinator, session.getFactory());
        coordinator.addObserver(journal);
        OPEN.put(coordinator, journal);
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

    /** A connection that dies in the rollback takes its completion with it. A JTA coordinator always hears of the end. */
    private static void forgetTheDead() {
        OPEN.keySet()
                .removeIf(coordinator ->
                        !coordinator.getTransactionCoordinatorBuilder().isJta() && !coordinator.isTransactionActive());
    }

    /** Runs the action once if the transaction is known to have committed, however often it is given. */
    public void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    /** Notes a command that a direct call wrote, or found. It is never withdrawn. */
    public void noteEnqueued(String namespaceId, String operationId, String sha256, boolean inserted) {
        commands.computeIfAbsent(
                new CommandId(namespaceId, operationId), id -> new Command(null, inserted ? sha256 : null));
    }

    /** Notes a command that was written for an entity. It is withdrawn at the end unless the entity's row is there then. */
    public void noteEnqueued(String namespaceId, String operationId, Object entity, Runnable withdraw) {
        Command command = new Command(withdraw, null);
        commands.put(new CommandId(namespaceId, operationId), command);
        command.await(entity);
    }

    /**
     * Gives an entity the command that a direct call of this transaction wrote for it, if it has these bytes and no other entity has it.
     * Returns false if there is none.
     */
    public boolean adopt(
            SharedSessionContractImplementor session,
            String namespaceId,
            String operationId,
            String sha256,
            Object entity) {
        Command command = commands.get(new CommandId(namespaceId, operationId));
        if (command == null || !sha256.equals(command.insertedSha256) || command.isHeldByAnother(session, entity)) {
            return false;
        }
        command.await(entity);
        return true;
    }

    /** Takes back a command whose entity was removed, detached or forgotten in this transaction, so that it can be enqueued anew. */
    public void withdrawAbandoned(
            SharedSessionContractImplementor session, String namespaceId, String operationId, Object entity) {
        CommandId id = new CommandId(namespaceId, operationId);
        Command command = commands.get(id);
        if (command != null
                && command.withdraw != null
                && !command.isKept
                && !command.isHeldByAnother(session, entity)) {
            command.release();
            commands.remove(id);
            command.withdraw.run();
        }
    }

    /**
     * Keeps the command of an operation for a row that has none of its own: it is not withdrawn then, whatever becomes of the entity it was
     * written for. Returns false if this transaction has neither written nor found one.
     */
    public boolean keepsCommand(String operationId) {
        boolean held = false;
        for (Map.Entry<CommandId, Command> entry : commands.entrySet()) {
            if (entry.getKey().operationId().equals(operationId)) {
                entry.getValue().isKept = true;
                held = true;
            }
        }
        return held;
    }

    /** Whether the entity's command was enqueued for it in this transaction. */
    public boolean holdsCommandOf(Object entity, @Nullable EntityKey row) {
        return awaitingRow.containsKey(entity) || row != null && withRow.containsKey(row);
    }

    public void rowInserted(Object entity, EntityKey row) {
        Command command = awaitingRow.remove(entity);
        if (command != null) {
            command.holder = null;
            command.row = row;
            withRow.put(row, command);
        }
    }

    public void rowDeleted(EntityKey row) {
        Command command = withRow.remove(row);
        if (command != null) {
            command.row = null;
        }
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

    /** An end that was not told of, because code of an application failed in it, is over now. */
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
        if (coordinator.getTransactionDriverControl().getStatus() == TransactionStatus.MARKED_ROLLBACK) {
            if (coordinator.getTransactionCoordinatorBuilder().isJta()) {
                return;
            }
            throw new IllegalStateException("The transaction was marked for rollback within its commit");
        }
        commands.forEach((id, command) -> {
            if (command.withdraw != null && command.row == null && !command.isKept) {
                LOG.debug("outbox.withdrawn operation={} its entity was not stored", id.operationId());
                command.withdraw.run();
            }
        });
    }

    @Override
    public void afterCompletion(boolean successful, boolean delayed) {
        forget();
        if (successful) {
            afterCommit.forEach(Runnable::run);
        }
    }

    private void forget() {
        OPEN.remove(coordinator, this);
        coordinator.removeObserver(this);
    }

    private record CommandId(String namespaceId, String operationId) {}

    /** At any time it has an entity that awaits its row, or a row, or neither. */
    private final class Command {
        private final @Nullable Runnable withdraw;
        /** Only of a command that a direct call wrote. */
        private final @Nullable String insertedSha256;

        private @Nullable Object holder;
        private @Nullable EntityKey row;
        private boolean isKept;

        Command(@Nullable Runnable withdraw, @Nullable String insertedSha256) {
            this.withdraw = withdraw;
            this.insertedSha256 = insertedSha256;
        }

        void await(Object entity) {
            release();
            holder = entity;
            awaitingRow.put(entity, this);
        }

        void release() {
            if (holder != null) {
                awaitingRow.remove(holder);
                holder = null;
            }
        }

        boolean isHeldByAnother(SharedSessionContractImplementor session, Object entity) {
            return row != null || holder != null && holder != entity && isManaged(session, holder);
        }

        private static boolean isManaged(SharedSessionContractImplementor session, Object entity) {
            return session.getPersistenceContextInternal().getEntry(entity) != null;
        }
    }
}
