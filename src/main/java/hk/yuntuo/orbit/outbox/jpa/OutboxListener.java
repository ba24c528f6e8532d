package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.internal.unit.UnitOutboxes;
import jakarta.persistence.PrePersist;
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/**
 * Enqueues the command of an {@link OutboxSource} when a new instance is persisted: by {@code persist}, by {@code merge} of a new one, by a
 * cascade of either, or by {@code StatelessSession.insert}. Exactly one command is written, in the same transaction, before the
 * entity's own row; if that row is not stored in the end, or is deleted again by the same transaction, the command is withdrawn.
 *
 * <p>Name it in {@code @EntityListeners} of the entity or of a mapped superclass, or in {@code orm.xml}. It needs an active transaction and an
 * outbox that serves the queue of the request: by the properties of {@link OutboxUnit} or by {@code Outbox.bind()}.
 *
 * <p>What {@code persist} (or the flush, for a cascade) then throws, besides what the source itself throws; each marks the transaction for
 * rollback:
 *
 * <ul>
 *   <li>{@code DuplicateOperationException}: the operation has the same command already. No row of the entity was sent. If this very
 *       transaction has enqueued the command by {@code Outbox.enqueue}, the entity takes it over and nothing is thrown.
 *   <li>{@code OutboxConflictException}: the operation has another command.
 *   <li>{@code LockOrderException}: business rows were written or locked before, and the guard is FAIL.
 *   <li>{@code InvalidInputException}: the operation id or the request breaks a rule.
 *   <li>{@code IllegalStateException}: no transaction is active, or no outbox serves the queue.
 *   <li>{@code RetryableTransactionException}, {@code OutboxStorageException}: as of {@code Outbox.enqueue}.
 * </ul>
 *
 * <p>Stateless and thread-safe; Hibernate or its container makes the instances.
 */
public final class OutboxListener {
    /** For Hibernate. */
    public OutboxListener() {}

    @PrePersist
    void enqueue(Object entity) {
        SharedSessionContractImplementor session = SessionAtHand.currentFor(entity);
        if (session != null) {
            if (SessionAtHand.isFirstCallFor(entity)) {
                MergedParts.during(
                        session, entity, SessionAtHand.mergedFrom(), () -> SourceCommands.enqueue(session, entity));
            }
        } else if (!UnitOutboxes.isWatched(entity.getClass())) {
            throw new IllegalStateException(entity.getClass().getName()
                    + " is persisted by a unit that was built without OutboxIntegrator; its command would be lost.");
        }
        // Otherwise it is a StatelessSession, whose event with the session follows.
    }
}
