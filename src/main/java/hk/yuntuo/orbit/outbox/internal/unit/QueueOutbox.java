package hk.yuntuo.orbit.outbox.internal.unit;

import hk.yuntuo.orbit.outbox.internal.freeze.FrozenRequest;
import hk.yuntuo.orbit.outbox.internal.freeze.RequestFreezer;
import hk.yuntuo.orbit.outbox.internal.guard.WriteGuard;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionCommands;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.internal.send.Hints;
import hk.yuntuo.orbit.outbox.internal.store.Enqueuer;
import hk.yuntuo.orbit.outbox.internal.store.OutboxStore;
import hk.yuntuo.orbit.outbox.model.DuplicateOperationException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/** The way into one queue of one unit: freezes, guards the order of locks, writes, and keeps the transaction's journal. Thread-safe. */
public final class QueueOutbox {
    private final String namespaceId;
    private final String queueId;
    private final RequestFreezer freezer;
    private final WriteGuard guard;
    private final Enqueuer enqueuer;
    private final Runnable wakeSenders;

    public QueueOutbox(SessionFactoryImplementor factory, QueueSettings settings) {
        this.namespaceId = settings.namespaceId();
        this.queueId = settings.queueId();
        this.freezer = new RequestFreezer(settings.maxDocumentBytes());
        this.guard = new WriteGuard(factory, settings.guard());
        this.enqueuer = new Enqueuer(new OutboxStore(namespaceId, queueId));
        this.wakeSenders = () -> Hints.wake(namespaceId, queueId);
    }

    String namespaceId() {
        return namespaceId;
    }

    String queueId() {
        return queueId;
    }

    /** A direct call: the command stays whatever becomes of any entity. */
    public EnqueueResult enqueue(
            SharedSessionContractImplementor session, String operationId, SubmitTaskRequest request) {
        FrozenRequest frozen = checked(session, operationId, request);
        TransactionJournal journal = TransactionJournal.of(session);
        EnqueueResult result = enqueuer.enqueue(session, operationId, frozen);
        journal.commands().noteEnqueued(namespaceId, operationId, frozen.sha256(), result == EnqueueResult.INSERTED);
        journal.afterCommit(wakeSenders);
        return result;
    }

    /**
     * For an entity that is being persisted. Its command is withdrawn before the commit if its row was not stored or was deleted again.
     *
     * @throws DuplicateOperationException if the command is there already, other than by a direct call of this transaction
     */
    public void enqueueFor(
            Object entity, SharedSessionContractImplementor session, String operationId, SubmitTaskRequest request) {
        FrozenRequest frozen = checked(session, operationId, request);
        TransactionJournal journal = TransactionJournal.of(session);
        TransactionCommands commands = journal.commands();
        commands.requireNotCompleting(operationId);
        if (commands.adopt(session, namespaceId, operationId, frozen.sha256(), entity)) {
            return;
        }
        commands.withdrawAbandoned(namespaceId, operationId, entity);
        if (enqueuer.enqueue(session, operationId, frozen) == EnqueueResult.DUPLICATE) {
            throw duplicate(session, operationId, entity);
        }
        commands.noteEnqueued(session, namespaceId, operationId, entity, () -> enqueuer.withdraw(session, operationId));
        journal.completeLast();
        journal.afterCommit(wakeSenders);
    }

    private FrozenRequest checked(
            SharedSessionContractImplementor session, String operationId, SubmitTaskRequest request) {
        OperationId.parse(operationId);
        if (!request.queueId().equals(queueId)) {
            throw new InvalidInputException(
                    "queueId", "must be this outbox's queue, \"" + queueId + "\"", request.queueId());
        }
        FrozenRequest frozen = freezer.freeze(request);
        Enqueuer.requireActive(session, operationId);
        guard.beforeEnqueue(session, operationId);
        return frozen;
    }

    private RuntimeException duplicate(SharedSessionContractImplementor session, String operationId, Object entity) {
        return enqueuer.stored(session, operationId)
                .<RuntimeException>map(stored -> new DuplicateOperationException(
                        "Operation " + operationId + " has a command already (" + stored.state() + "); this "
                                + entity.getClass().getName() + " was not stored. Roll back. Code that expects"
                                + " re-reports calls Outbox.enqueue before it persists, and gets DUPLICATE.",
                        operationId,
                        stored))
                .orElseGet(() -> new OutboxStorageException(
                        "Operation " + operationId + " was a duplicate and is gone; something else deletes from"
                                + " sender_outbox. Run the transaction again.",
                        operationId,
                        null));
    }
}
