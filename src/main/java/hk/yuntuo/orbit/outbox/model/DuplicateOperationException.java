package hk.yuntuo.orbit.outbox.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An entity was persisted whose operation has a command already, from an earlier transaction or from another entity of this one. Raised
 * before the entity's INSERT is sent. The same queue and the same bytes are stored; other content would be an
 * {@link OutboxConflictException}. The transaction is marked for rollback. Code that expects re-reports calls {@code Outbox.enqueue}
 * itself, before it persists, and gets DUPLICATE instead of this error.
 */
public final class DuplicateOperationException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /** The row in the way. */
    private final transient @Nullable OutboxRecord stored;

    /**
     * Creates the error.
     *
     * @param message what happened and what to do next
     * @param operationId the operation it is about
     * @param stored the stored command
     */
    public DuplicateOperationException(String message, String operationId, OutboxRecord stored) {
        super(message, operationId, null, null);
        this.stored = stored;
    }

    /**
     * The stored command, as the transaction that met it saw it: locked shared until that transaction ends.
     *
     * @return the row; empty only on a copy of this error that was serialized
     */
    public Optional<OutboxRecord> stored() {
        return Optional.ofNullable(stored);
    }
}
