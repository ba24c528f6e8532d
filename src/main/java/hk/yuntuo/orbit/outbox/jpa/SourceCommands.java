package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.internal.store.Enqueuer;
import hk.yuntuo.orbit.outbox.internal.unit.QueueOutbox;
import hk.yuntuo.orbit.outbox.internal.unit.UnitOutboxes;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/** From an entity that is being persisted to its command. */
final class SourceCommands {
    private SourceCommands() {}

    /** Whatever it throws has marked the transaction: a caller that swallows it cannot commit the rest. */
    static void enqueue(SharedSessionContractImplementor session, Object entity) {
        try {
            OutboxSource source = source(entity);
            String operationId = operationId(source);
            SubmitTaskRequest request = source.outboxRequest();
            if (request == null) {
                throw new InvalidInputException("outboxRequest", "of " + name(entity) + " must not be null", null);
            }
            serving(session, request.queueId(), entity).enqueueFor(entity, session, operationId, request);
        } catch (RuntimeException | Error e) {
            if (session.isTransactionInProgress()) {
                TransactionJournal.of(session); // sees to it that a mark within the commit counts
                Enqueuer.markRollbackOnly(session);
            }
            throw e;
        }
    }

    private static OutboxSource source(Object entity) {
        if (entity instanceof OutboxSource source) {
            return source;
        }
        throw new IllegalStateException(
                entity.getClass().getName()
                        + " has OutboxListener but is no OutboxSource: implement it, so that the listener knows what to submit.");
    }

    private static String operationId(OutboxSource source) {
        @Nullable String value = source.outboxOperationId();
        try {
            return OperationId.parse(value).value();
        } catch (InvalidInputException e) {
            throw new InvalidInputException(
                    "outboxOperationId",
                    "of " + name(source) + " " + e.rule()
                            + " when it is persisted (a @PrePersist method of the entity itself,"
                            + " or a listener named after OutboxListener, gives it too late)",
                    value);
        }
    }

    private static String name(Object entity) {
        return entity.getClass().getName();
    }

    private static QueueOutbox serving(SharedSessionContractImplementor session, String queueId, Object entity) {
        UnitOutboxes unit = UnitOutboxes.of(session.getFactory());
        QueueOutbox outbox = unit.serving(queueId);
        if (outbox == null) {
            throw new IllegalStateException("No outbox serves queue \"" + queueId + "\" of " + name(entity)
                    + " in this persistence unit (it has " + unit.queueIds() + "). Set " + OutboxUnit.NAMESPACE_ID
                    + " and name the queue in " + OutboxUnit.QUEUE_ID
                    + ", or bind one: Outbox.builder(factory)...build().bind().");
        }
        return outbox;
    }
}
