package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.PreRemove;
import jakarta.persistence.Table;
import java.time.Instant;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code sender_outbox} for JPA: status pages, reports, JPQL. Read-only for applications: rows are written by
 * {@code Outbox.enqueue} and by the sender; Hibernate ignores changes to an instance, and removing one is refused. A bulk DELETE by JPQL
 * or SQL is not refused, and loses commands. All instants are UTC with microseconds,
 * whatever the time zones of the JVM, the session or the driver.
 *
 * <p>The table comes from the changelog. {@code hibernate.hbm2ddl.auto=create} or {@code create-drop} drops a mapped table with every command in
 * it, and {@code update} makes a poorer one: a unit with one of them does not have this entity unless it names it or sets
 * {@code orbit.outbox.mapping.enabled=true}. {@code validate} is fine.
 *
 * <p>To take rows for review work, lock them here, before any business row: {@code PESSIMISTIC_WRITE} with the hint
 * {@code jakarta.persistence.lock.timeout = -2} renders {@code FOR UPDATE SKIP LOCKED}. A locked row is skipped by claims.
 */
@Entity
@Immutable
@IdClass(OutboxKey.class)
@Table(name = "sender_outbox")
public class OutboxEntity {
    @Id
    @Column(name = "namespace_id", length = 64)
    private String namespaceId;

    @Id
    @Column(name = "operation_id", length = 32)
    @JdbcTypeCode(SqlTypes.CHAR)
    private String operationId;

    @Column(name = "queue_id", nullable = false, length = 64)
    private String queueId;

    @Column(name = "submission_key", nullable = false, length = 64)
    private String submissionKey;

    @Column(name = "request_json", nullable = false, length = 16_777_215)
    private String requestJson;

    @Column(name = "request_sha256", nullable = false, length = 64)
    @JdbcTypeCode(SqlTypes.CHAR)
    private String requestSha256;

    @Enumerated(EnumType.STRING)
    @JdbcTypeCode(SqlTypes.VARCHAR)
    @Column(name = "state", nullable = false, length = 16)
    private OutboxState state;

    @Column(name = "send_count", nullable = false)
    private int sendCount;

    @Column(name = "lease_epoch", nullable = false)
    private long leaseEpoch;

    @Column(name = "due_at")
    @JdbcTypeCode(SqlTypes.TIMESTAMP_UTC)
    private @Nullable Instant dueAt;

    @Column(name = "send_deadline_at", nullable = false)
    @JdbcTypeCode(SqlTypes.TIMESTAMP_UTC)
    private Instant sendDeadlineAt;

    @Enumerated(EnumType.STRING)
    @JdbcTypeCode(SqlTypes.VARCHAR)
    @Column(name = "result_code", length = 40)
    private @Nullable ResultCode resultCode;

    @Column(name = "task_id", length = 128)
    private @Nullable String taskId;

    @Column(name = "receipt_json", length = 16_777_215)
    private @Nullable String receiptJson;

    @Column(name = "created_at", nullable = false)
    @JdbcTypeCode(SqlTypes.TIMESTAMP_UTC)
    private Instant createdAt;

    @Column(name = "updated_at", nullable = false)
    @JdbcTypeCode(SqlTypes.TIMESTAMP_UTC)
    private Instant updatedAt;

    @Column(name = "settled_at")
    @JdbcTypeCode(SqlTypes.TIMESTAMP_UTC)
    private @Nullable Instant settledAt;

    /** For Hibernate. */
    protected OutboxEntity() {}

    @PreRemove
    void refuseRemoval() {
        throw new IllegalStateException("Operation " + operationId + " cannot be removed: its command would be lost");
    }

    /**
     * The platform namespace.
     *
     * @return the value
     */
    public String getNamespaceId() {
        return namespaceId;
    }

    /**
     * The business operation.
     *
     * @return the value
     */
    public String getOperationId() {
        return operationId;
    }

    /**
     * The fixed target queue.
     *
     * @return the value
     */
    public String getQueueId() {
        return queueId;
    }

    /**
     * The idempotency key at the platform.
     *
     * @return the value
     */
    public String getSubmissionKey() {
        return submissionKey;
    }

    /**
     * The frozen document. It may be large and may hold what must not be logged.
     *
     * @return the value
     */
    public String getRequestJson() {
        return requestJson;
    }

    /**
     * The SHA-256 of the document, 64 lowercase hex digits.
     *
     * @return the value
     */
    public String getRequestSha256() {
        return requestSha256;
    }

    /**
     * Where the row is.
     *
     * @return the value
     */
    public OutboxState getState() {
        return state;
    }

    /**
     * Claims so far, 0 to 100.
     *
     * @return the value
     */
    public int getSendCount() {
        return sendCount;
    }

    /**
     * The number of the latest claim.
     *
     * @return the value
     */
    public long getLeaseEpoch() {
        return leaseEpoch;
    }

    /**
     * The next send (PENDING) or the end of the lease (SENDING); null when settled.
     *
     * @return the value
     */
    public @Nullable Instant getDueAt() {
        return dueAt;
    }

    /**
     * No send starts after it.
     *
     * @return the value
     */
    public Instant getSendDeadlineAt() {
        return sendDeadlineAt;
    }

    /**
     * The last outcome; null before the first.
     *
     * @return the value
     */
    public @Nullable ResultCode getResultCode() {
        return resultCode;
    }

    /**
     * The platform's task; present exactly in ACCEPTED.
     *
     * @return the value
     */
    public @Nullable String getTaskId() {
        return taskId;
    }

    /**
     * The platform's receipt; in REVIEW an invalid receipt, as evidence. It may hold what must not be logged.
     *
     * @return the value
     */
    public @Nullable String getReceiptJson() {
        return receiptJson;
    }

    /**
     * When the row was enqueued.
     *
     * @return the value
     */
    public Instant getCreatedAt() {
        return createdAt;
    }

    /**
     * When the row last changed.
     *
     * @return the value
     */
    public Instant getUpdatedAt() {
        return updatedAt;
    }

    /**
     * When ACCEPTED or REVIEW was reached; null before.
     *
     * @return the value
     */
    public @Nullable Instant getSettledAt() {
        return settledAt;
    }

    /** Leaves the document and the receipt out. */
    @Override
    public String toString() {
        return "OutboxEntity[namespaceId=" + namespaceId + ", operationId=" + operationId + ", queueId=" + queueId
                + ", state=" + state + ", sendCount=" + sendCount + ", resultCode=" + resultCode + ", taskId=" + taskId
                + "]";
    }
}
