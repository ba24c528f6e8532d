package hk.yuntuo.orbit.outbox;

import hk.yuntuo.orbit.outbox.internal.store.JtaTransactions;
import hk.yuntuo.orbit.outbox.internal.store.OutboxStore;
import hk.yuntuo.orbit.outbox.internal.store.ResourceLocalTransactions;
import hk.yuntuo.orbit.outbox.internal.store.SessionLender;
import hk.yuntuo.orbit.outbox.internal.store.ShortTransactions;
import hk.yuntuo.orbit.outbox.internal.store.UnitSettings;
import hk.yuntuo.orbit.outbox.internal.unit.QueueOutbox;
import hk.yuntuo.orbit.outbox.internal.unit.QueueSettings;
import hk.yuntuo.orbit.outbox.internal.unit.UnitDefaults;
import hk.yuntuo.orbit.outbox.internal.unit.UnitOutboxes;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.LockOrderException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.spi.OutboxTransactions;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/**
 * The way in: writes the command to submit a task into {@code sender_outbox}, in the caller's own transaction. If that transaction
 * commits, the task is submitted until the platform accepts it or a person must look; if it does not, it never is. One operation id
 * yields at most one task.
 *
 * <p>An instance is bound to one namespace and one queue. Building it opens no connection, creates no table and owns no pool. It is
 * immutable and thread-safe; keep one for the life of the application.
 */
public final class Outbox {
    private static final Duration MIN_RESOLVE = Duration.ofSeconds(3);
    private static final Duration MAX_RESOLVE = Duration.ofMinutes(1);

    private final String namespaceId;
    private final String queueId;
    private final OutboxStore store;
    private final QueueOutbox queue;
    private final EntityManagerFactory factory;

    private Outbox(Builder builder) {
        this.namespaceId = Identifiers.namespaceId(builder.namespaceId);
        this.queueId = Identifiers.queueId(builder.queueId);
        UnitSettings.requireConnectionIsKept(builder.factory);
        this.store = new OutboxStore(namespaceId, queueId);
        SessionFactoryImplementor sessionFactory = builder.factory.unwrap(SessionFactoryImplementor.class);
        UnitDefaults defaults = UnitOutboxes.defaultsOf(sessionFactory);
        this.queue = new QueueOutbox(
                sessionFactory,
                new QueueSettings(
                        namespaceId,
                        queueId,
                        Objects.requireNonNullElse(builder.maxDocumentBytes, defaults.maxDocumentBytes()),
                        Objects.requireNonNullElse(builder.guard, defaults.guard())));
        this.factory = builder.factory;
    }

    /**
     * Starts an outbox over a persistence unit.
     *
     * @param factory the unit that holds {@code sender_outbox} beside the business tables; it stays the caller's to close
     * @return a builder; {@code namespaceId} and {@code queueId} are required
     */
    public static Builder builder(EntityManagerFactory factory) {
        return new Builder(factory);
    }

    /**
     * Writes the command in the caller's transaction, or finds that it is there already. It never commits, never rolls back, uses no
     * network, and flushes nothing: pending entities stay pending. Call it <em>before</em> writing business rows, in every transaction:
     * the order of locks is outbox first.
     *
     * <p>What the EntityManager can do afterwards:
     *
     * <ul>
     *   <li>INSERTED or DUPLICATE: everything. On DUPLICATE the business rows of the operation exist or are being written by the
     *       transaction that holds the command; compare them, do not write them again. The row stays share-locked until the
     *       transaction ends, so end it soon: senders wait.
     *   <li>{@link OutboxConflictException}: everything; the transaction is not marked for rollback. Rolling back is nearly always right.
     *   <li>any other exception that reached the database: the transaction is marked for rollback and cannot commit.
     *   <li>{@link InvalidInputException}, {@link LockOrderException} and {@link IllegalStateException}: what it could before; no SQL was
     *       sent.
     * </ul>
     *
     * @param em an EntityManager of the unit, with an active transaction
     * @param operationId the operation, 32 lowercase hexadecimal digits, stored by the caller before its first attempt
     * @param request what to submit; defaults are frozen in now, and what is stored is what is sent, byte for byte
     * @return INSERTED, or DUPLICATE if the same queue and the same bytes are stored under this id, also by this very transaction
     * @throws InvalidInputException if the id, the request or its size breaks a rule, or the request names another queue
     * @throws IllegalStateException if no transaction is active, or it can no longer commit, or the connection autocommits
     * @throws LockOrderException if the guard is FAIL and the transaction has written or locked business rows already
     * @throws OutboxConflictException if the id is stored with another queue or other bytes
     * @throws RetryableTransactionException if a deadlock or lock wait time-out ended the transaction: run the whole transaction again
     * @throws OutboxStorageException if the database failed otherwise
     */
    public EnqueueResult enqueue(EntityManager em, String operationId, SubmitTaskRequest request) {
        Objects.requireNonNull(em, "em");
        Objects.requireNonNull(request, "request");
        return queue.enqueue(SessionLender.behind(em), operationId, request);
    }

    /**
     * Makes this the outbox that {@code OutboxListener} uses for entities of its persistence unit whose request names its queue. A unit can
     * have one for each queue; the properties of {@code OutboxUnit} do the same without code. Binding the same namespace and queue
     * again replaces the outbox, also one that the properties made. The binding ends with the unit.
     *
     * @return this
     * @throws IllegalStateException if the unit has an outbox of another namespace for this queue, or was built without the library
     */
    public Outbox bind() {
        UnitOutboxes.of(factory.unwrap(SessionFactoryImplementor.class)).bind(queue);
        return this;
    }

    /**
     * Reads an operation of this namespace and queue in a transaction of its own. Read-only: it locks nothing, triggers nothing and
     * changes nothing.
     *
     * @param operationId the operation
     * @return the row as committed now; empty if there is none in this namespace and queue
     * @throws InvalidInputException if the id has another form
     * @throws OutboxStorageException if the database failed
     */
    public Optional<OutboxRecord> status(String operationId) {
        OperationId.parse(operationId);
        return new ShortTransactions(factory).run(operationId, unit -> store.status(unit.connection(), operationId));
    }

    /**
     * Reads an operation as the caller's transaction sees it, by the rules of its isolation. Without a transaction, a pool whose
     * connections do not autocommit may show the same snapshot again; {@link #status(String)} always reads anew.
     *
     * @param em an EntityManager of the unit; nothing is flushed and its persistence context is not touched
     * @param operationId the operation
     * @return the row; empty if there is none in this namespace and queue
     * @throws InvalidInputException if the id has another form
     */
    public Optional<OutboxRecord> status(EntityManager em, String operationId) {
        OperationId.parse(operationId);
        Objects.requireNonNull(em, "em");
        return em.unwrap(org.hibernate.Session.class)
                .doReturningWork(connection -> store.status(connection, operationId));
    }

    /**
     * Finds the truth after a COMMIT without an answer: waits for a transaction that may still hold the row, on a fresh connection, for
     * up to 5 seconds once it has that connection.
     *
     * @param operationId the operation whose transaction is in doubt
     * @return the committed row; empty if the transaction is known not to have committed
     * @throws RetryableTransactionException if a transaction still held the row when the time ended: still unknown, ask again
     * @throws OutboxStorageException if the database failed: still unknown, ask again
     * @throws hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException if the read's own COMMIT got no answer: still unknown, ask again
     * @throws InvalidInputException if the id has another form
     */
    public Optional<OutboxRecord> resolve(String operationId) {
        return resolve(operationId, Duration.ofSeconds(5));
    }

    /**
     * Like {@link #resolve(String)}, with another limit.
     *
     * @param operationId the operation whose transaction is in doubt
     * @param limit how long to wait, once there is a connection: 3 s to 1 min
     * @return the committed row; empty if the transaction is known not to have committed
     */
    public Optional<OutboxRecord> resolve(String operationId, Duration limit) {
        OperationId.parse(operationId);
        Objects.requireNonNull(limit, "limit");
        if (limit.compareTo(MIN_RESOLVE) < 0 || limit.compareTo(MAX_RESOLVE) > 0) {
            throw new InvalidInputException("limit", "must be 3 seconds to 1 minute", limit);
        }
        return new ShortTransactions(factory)
                .run(operationId, limit, unit -> store.resolve(unit.connection(), operationId));
    }

    /**
     * Runs an application's transactions, resource-local or JTA as the unit is, and says how each truly ended. Optional: any code that manages
     * its own transactions can call {@link #enqueue} as well.
     *
     * @return transactions on new EntityManagers of this outbox's unit
     */
    public OutboxTransactions transactions() {
        return UnitSettings.isJta(factory) ? new JtaTransactions(factory) : new ResourceLocalTransactions(factory);
    }

    /**
     * The namespace.
     *
     * @return the namespace this instance is bound to
     */
    public String namespaceId() {
        return namespaceId;
    }

    /**
     * The queue.
     *
     * @return the queue this instance is bound to
     */
    public String queueId() {
        return queueId;
    }

    /** The namespace and the queue. */
    @Override
    public String toString() {
        return "Outbox[namespaceId=" + namespaceId + ", queueId=" + queueId + "]";
    }

    /** Collects the settings of an {@link Outbox}. Not thread-safe. */
    public static final class Builder {
        private final EntityManagerFactory factory;
        private String namespaceId = "";
        private String queueId = "";
        private @Nullable Integer maxDocumentBytes;
        private @Nullable LockOrderGuard guard;

        private Builder(EntityManagerFactory factory) {
            this.factory = Objects.requireNonNull(factory, "factory");
        }

        /**
         * Sets the platform namespace; required.
         *
         * @param value 1 to 64 characters of {@code A-Z a-z 0-9 . _ : -}
         * @return this
         */
        public Builder namespaceId(String value) {
            namespaceId = value;
            return this;
        }

        /**
         * Sets the queue; required.
         *
         * @param value 1 to 64 characters of {@code A-Z a-z 0-9 . _ : -}
         * @return this
         */
        public Builder queueId(String value) {
            queueId = value;
            return this;
        }

        /**
         * Sets the greatest size of a frozen document. MySQL writes a row's document again, to its log, at every change of the row;
         * a large limit costs little unless it is used.
         *
         * @param value bytes, 1 024 to 16 777 215; by default the unit's {@code orbit.outbox.max-document-bytes}, or 1 048 576
         * @return this
         */
        public Builder maxDocumentBytes(int value) {
            maxDocumentBytes = value;
            return this;
        }

        /**
         * Sets what becomes of an enqueue after business rows were written or locked in the same transaction.
         *
         * @param value OFF, WARN or FAIL; by default the unit's {@code orbit.outbox.lock-order-guard}, or WARN
         * @return this
         */
        public Builder lockOrderGuard(LockOrderGuard value) {
            guard = Objects.requireNonNull(value, "lockOrderGuard");
            return this;
        }

        /**
         * Builds the outbox. It opens nothing.
         *
         * @return the outbox
         * @throws InvalidInputException if a setting is missing or out of bounds; the message names it
         */
        public Outbox build() {
            return new Outbox(this);
        }
    }
}
