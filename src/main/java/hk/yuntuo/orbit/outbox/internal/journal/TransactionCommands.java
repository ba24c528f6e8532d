package hk.yuntuo.orbit.outbox.internal.journal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commands that one transaction wrote or found, and the entities they were written for. One whose entity has no row in the end is
 * withdrawn. Used by the thread that runs the transaction.
 */
public final class TransactionCommands {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionCommands.class);

    private final Map<CommandId, Command> commands = new HashMap<>();
    private final Map<Object, Command> awaitingRow = new IdentityHashMap<>();
    private final Map<EntityKey, Command> withRow = new HashMap<>();
    private final Set<String> namespaceIds = new HashSet<>();

    private boolean completing;

    TransactionCommands() {}

    /** Notes a command that a direct call wrote, or found: perhaps that of an entity. It is never withdrawn. */
    public void noteEnqueued(String namespaceId, String operationId, String sha256, boolean inserted) {
        namespaceIds.add(namespaceId);
        commands.computeIfAbsent(
                        new CommandId(namespaceId, operationId), id -> new Command(null, inserted ? sha256 : null))
                .isKept = true;
    }

    /** Notes a command that was written for an entity. It is withdrawn at the end unless the entity's row is there then. */
    public void noteEnqueued(
            SharedSessionContractImplementor session,
            String namespaceId,
            String operationId,
            Object entity,
            Runnable withdraw) {
        namespaceIds.add(namespaceId);
        Command command = new Command(withdraw, null);
        commands.put(new CommandId(namespaceId, operationId), command);
        command.await(session, entity);
    }

    /** @throws IllegalStateException if nobody would withdraw a command any more */
    public void requireNotCompleting(String operationId) {
        if (completing) {
            throw new IllegalStateException("The transaction is being completed: operation " + operationId
                    + " was not enqueued, because nobody would look any more whether its row is stored.");
        }
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
        if (command == null || !sha256.equals(command.insertedSha256) || command.isHeldByAnother(entity)) {
            return false;
        }
        command.await(session, entity);
        return true;
    }

    /** Takes back a command whose entity was removed, detached or forgotten in this transaction, so that it can be enqueued anew. */
    public void withdrawAbandoned(String namespaceId, String operationId, Object entity) {
        CommandId id = new CommandId(namespaceId, operationId);
        Command command = commands.get(id);
        if (command != null && command.withdraw != null && !command.isKept && !command.isHeldByAnother(entity)) {
            command.release();
            commands.remove(id);
            command.withdraw.run();
        }
    }

    /**
     * Keeps the command of an operation for a row that has none of its own: it is not withdrawn then, whatever becomes of the entity it was
     * written for. Returns false if this transaction has neither written nor found one, or has written it for another entity that has its row
     * or may still get it.
     */
    public boolean keepsCommand(String operationId, Object entity) {
        boolean held = false;
        for (String namespaceId : namespaceIds) {
            Command command = commands.get(new CommandId(namespaceId, operationId));
            if (command != null && (command.isKept || !command.isHeldByAnother(entity))) {
                command.isKept = true;
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
            command.holdersSession = null;
            command.row = row;
            withRow.put(row, command);
        }
    }

    public void rowDeleted(EntityKey row) {
        Command command = withRow.remove(row);
        if (command != null) {
            command.row = null;
            if (completing) {
                withdrawWithoutRow();
            }
        }
    }

    /** Withdraws what has no row now, and at once what loses its row from now on. */
    void complete() {
        withdrawWithoutRow();
        completing = true;
    }

    /** Whether some command would have to be withdrawn now. */
    boolean awaitRows() {
        return commands.values().stream().anyMatch(Command::isWithoutRow);
    }

    private void withdrawWithoutRow() {
        for (Iterator<Map.Entry<CommandId, Command>> all = commands.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<CommandId, Command> entry = all.next();
            Command command = entry.getValue();
            if (command.isWithoutRow()) {
                LOG.debug(
                        "outbox.withdrawn operation={} its entity was not stored",
                        entry.getKey().operationId());
                command.release();
                all.remove();
                command.withdraw.run();
            }
        }
    }

    private record CommandId(String namespaceId, String operationId) {}

    /** At any time it has an entity that awaits its row, or a row, or neither. */
    private final class Command {
        private final @Nullable Runnable withdraw;
        /** Only of a command that a direct call wrote. */
        private final @Nullable String insertedSha256;

        private @Nullable Object holder;
        private @Nullable SharedSessionContractImplementor holdersSession;
        private @Nullable EntityKey row;
        private boolean isKept;

        Command(@Nullable Runnable withdraw, @Nullable String insertedSha256) {
            this.withdraw = withdraw;
            this.insertedSha256 = insertedSha256;
        }

        void await(SharedSessionContractImplementor session, Object entity) {
            release();
            holder = entity;
            holdersSession = session;
            awaitingRow.put(entity, this);
        }

        void release() {
            if (holder != null) {
                awaitingRow.remove(holder);
                holder = null;
                holdersSession = null;
            }
        }

        boolean isWithoutRow() {
            return withdraw != null && row == null && !isKept;
        }

        boolean isHeldByAnother(Object entity) {
            return row != null || holder != null && holder != entity && isManaged(holdersSession, holder);
        }

        /** By the session that persisted it: another one may share the transaction. */
        private static boolean isManaged(@Nullable SharedSessionContractImplementor session, Object entity) {
            return session != null
                    && session.isOpenOrWaitingForAutoClose()
                    && session.getPersistenceContextInternal().getEntry(entity) != null;
        }
    }
}
