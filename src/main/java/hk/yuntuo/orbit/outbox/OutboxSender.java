package hk.yuntuo.orbit.outbox;

import hk.yuntuo.orbit.outbox.internal.send.Bell;
import hk.yuntuo.orbit.outbox.internal.send.Claimer;
import hk.yuntuo.orbit.outbox.internal.send.Deliverer;
import hk.yuntuo.orbit.outbox.internal.send.LoopSettings;
import hk.yuntuo.orbit.outbox.internal.send.Pipeline;
import hk.yuntuo.orbit.outbox.internal.send.SendLoop;
import hk.yuntuo.orbit.outbox.internal.send.Settler;
import hk.yuntuo.orbit.outbox.internal.store.OutboxStore;
import hk.yuntuo.orbit.outbox.internal.store.ShortTransactions;
import hk.yuntuo.orbit.outbox.internal.store.UnitSettings;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.LeaseLostException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.model.ShutdownTimeoutException;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import jakarta.persistence.EntityManagerFactory;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The way out: submits due commands of one namespace and queue to the task platform, under a key that never changes, and records what
 * became of each. Any number of senders, in any number of processes, may share a queue.
 *
 * <p>Its transactions are its own: short (5 seconds), at READ COMMITTED, on connections of the given unit whose isolation, session
 * waits and network time-out are put back before the pool gets them again. No network exchange happens inside one. All times that are
 * stored are the database's. Building a sender opens nothing. Thread-safe.
 */
public final class OutboxSender {
    private final String namespaceId;
    private final String queueId;
    private final Pipeline pipeline;
    private final Bell bell = new Bell();
    private volatile boolean stopped;

    private OutboxSender(Builder builder) {
        this.namespaceId = Identifiers.namespaceId(builder.namespaceId);
        this.queueId = Identifiers.queueId(builder.queueId);
        UnitSettings.requireConnectionIsKept(builder.factory);
        if (builder.onAccepted != null) {
            UnitSettings.requireResourceLocal(builder.factory, "onAccepted");
        }
        ShortTransactions transactions = new ShortTransactions(builder.factory);
        OutboxStore store = new OutboxStore(namespaceId, queueId);
        this.pipeline = new Pipeline(
                new Claimer(transactions, store),
                new Deliverer(namespaceId, queueId),
                new Settler(transactions, store, builder.onAccepted));
    }

    /**
     * Starts a sender over a persistence unit.
     *
     * @param factory a unit over the database that holds {@code sender_outbox}, resource-local if there is a callback; it stays the caller's
     *     to close
     * @return a builder; {@code namespaceId} and {@code queueId} are required
     */
    public static Builder builder(EntityManagerFactory factory) {
        return new Builder(factory);
    }

    /**
     * Claims at most one due row, delivers it and records the outcome. A delivery that fails is an outcome, not an exception.
     *
     * @param platform the platform, with a credential for this namespace and queue
     * @return the row as committed afterwards, also when it went to REVIEW for a spent budget; empty if no row was due
     * @throws LeaseLostException if another sender had taken the row over meanwhile; nothing was recorded
     * @throws AcceptanceException if the callback failed; the row is taken up again after its lease
     * @throws CommitUnconfirmedException if a COMMIT got no answer; the row is taken up again if it must be
     * @throws RetryableTransactionException if locks of others ended the transaction to the end of its time
     * @throws OutboxStorageException if the database failed otherwise
     */
    public Optional<OutboxRecord> sendOnce(TaskPlatform platform) {
        return pipeline.once(Objects.requireNonNull(platform, "platform"));
    }

    /**
     * Sends until {@link #stop} is called or the calling thread is interrupted; then claims no more, waits for the deliveries in flight
     * and returns, in the case of interruption with the flag set. Deadlocks, lock wait time-outs and lost leases never end it.
     *
     * @param platform the platform, with a credential for this namespace and queue
     * @param options how to work
     * @throws ShutdownTimeoutException if deliveries did not end within the shutdown time-out; their rows stay under their leases
     * @throws AcceptanceException if the callback failed and the options have no retry delay
     * @throws CommitUnconfirmedException if a COMMIT got no answer and the options have no retry delay
     * @throws OutboxStorageException if the database failed and the options have no retry delay
     */
    public void run(TaskPlatform platform, RunOptions options) {
        Objects.requireNonNull(platform, "platform");
        Objects.requireNonNull(options, "options");
        LoopSettings settings = new LoopSettings(
                options.pollInterval(),
                options.shutdownTimeout(),
                options.concurrency(),
                options.retryDelay().orElse(null));
        new SendLoop(pipeline, platform, settings, () -> stopped, bell).run(namespaceId, queueId);
    }

    /** Asks every {@link #run} of this sender, present and future, to end. Returns at once; {@code sendOnce} still works. */
    public void stop() {
        stopped = true;
        bell.ring();
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
        return "OutboxSender[namespaceId=" + namespaceId + ", queueId=" + queueId + "]";
    }

    /** Collects the settings of an {@link OutboxSender}. Not thread-safe. */
    public static final class Builder {
        private final EntityManagerFactory factory;
        private String namespaceId = "";
        private String queueId = "";
        private @Nullable OnAccepted onAccepted;

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
         * Sets the code that runs with each acceptance, in its transaction. Without it, the link to the task lives in the outbox row. It
         * needs a resource-local unit.
         *
         * @param value the callback
         * @return this
         */
        public Builder onAccepted(OnAccepted value) {
            onAccepted = Objects.requireNonNull(value, "onAccepted");
            return this;
        }

        /**
         * Builds the sender. It opens nothing.
         *
         * @return the sender
         * @throws InvalidInputException if a setting is missing or out of bounds, or there is a callback and the unit is not resource-local
         */
        public OutboxSender build() {
            return new OutboxSender(this);
        }
    }
}
