package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;

/**
 * An entity that stands for an operation with a task to submit. With {@link OutboxListener} among its entity listeners, persisting a new
 * instance writes the command in the same transaction, in front of the entity's own row.
 *
 * <pre>{@code
 * @Entity
 * @EntityListeners(OutboxListener.class)
 * public class MailJob implements OutboxSource { ... }
 * }</pre>
 *
 * <p>Both methods are called once for each new instance, on the thread and within the transaction that persists it, after the entity has
 * its id (except an IDENTITY id, which only its own INSERT gives) and after the entity listeners named before {@link OutboxListener},
 * but before {@code @PrePersist} methods of the entity itself (JPA 3.2, section 3.6.4). What they return is frozen then; later changes
 * of the entity do not change the command. They may read lazy parts of the entity. What they throw ends the persist, and marks the
 * transaction for rollback.
 */
public interface OutboxSource {
    /**
     * The business operation. It was stored by the caller before its first attempt and never changes.
     *
     * @return 32 lowercase hexadecimal digits; {@code OperationId.next().value()} makes new ones
     */
    String outboxOperationId();

    /**
     * What to submit. Its queue id chooses the outbox; one must serve that queue in the persistence unit.
     *
     * @return the request
     */
    SubmitTaskRequest outboxRequest();
}
