package hk.yuntuo.orbit.examples.taskoutbox;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** The business row: one operation on one object, and the platform task it led to. */
@Entity
@IdClass(SenderJobKey.class)
@Table(name = "sender_jobs")
public class SenderJob {
    @Id
    @Column(name = "namespace_id", length = 64)
    private String namespaceId;

    @Id
    @Column(name = "operation_id", length = 32)
    @JdbcTypeCode(SqlTypes.CHAR)
    private String operationId;

    @Column(name = "source_ref", nullable = false, updatable = false, length = 512)
    private String sourceRef;

    @Column(name = "task_id", length = 128)
    private @Nullable String taskId;

    /** The column's default: the database's clock in UTC, whatever the time zones of the JVM and the session. */
    @Column(name = "created_at", nullable = false, insertable = false, updatable = false)
    @JdbcTypeCode(SqlTypes.TIMESTAMP_UTC)
    private @Nullable Instant createdAt;

    /** For Hibernate. */
    protected SenderJob() {}

    /**
     * Creates the row of a new operation.
     *
     * @param namespaceId the platform namespace
     * @param operationId the operation
     * @param sourceRef what it works on
     */
    public SenderJob(String namespaceId, String operationId, SourceRef sourceRef) {
        this.namespaceId = namespaceId;
        this.operationId = operationId;
        this.sourceRef = sourceRef.value();
    }

    /**
     * Notes the task. The same task again changes nothing.
     *
     * @param acceptedTaskId the platform's task
     * @throws IllegalStateException if the row belongs to another task
     */
    public void accepted(String acceptedTaskId) {
        if (taskId != null && !taskId.equals(acceptedTaskId)) {
            throw new IllegalStateException("Operation " + operationId + " belongs to task " + taskId
                    + " already and cannot take task " + acceptedTaskId);
        }
        taskId = acceptedTaskId;
    }

    /**
     * What the operation works on.
     *
     * @return the value
     */
    public String getSourceRef() {
        return sourceRef;
    }

    /**
     * The platform's task.
     *
     * @return the value; null until its acceptance is recorded
     */
    public @Nullable String getTaskId() {
        return taskId;
    }

    /**
     * When the row was created.
     *
     * @return the value; null in the transaction that creates it
     */
    public @Nullable Instant getCreatedAt() {
        return createdAt;
    }
}
