package hk.yuntuo.orbit.outbox.support;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/** The business row of the tests: assigned id, a unique note, the task it led to. */
@Entity
@Table(name = "business_job")
public class BusinessJob {
    @Id
    @Column(name = "operation_id", length = 32)
    private String operationId = "";

    @Column(name = "note", unique = true, length = 100)
    private String note = "";

    @Column(name = "task_id", length = 128)
    private @Nullable String taskId;

    protected BusinessJob() {}

    public BusinessJob(String operationId, String note) {
        this.operationId = operationId;
        this.note = note;
    }

    public String operationId() {
        return operationId;
    }

    public @Nullable String taskId() {
        return taskId;
    }

    public void taskId(String value) {
        taskId = value;
    }

    public void note(String value) {
        note = value;
    }
}
