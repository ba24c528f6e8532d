package hk.yuntuo.orbit.outbox.randomrun;

import hk.yuntuo.orbit.outbox.jpa.OutboxListener;
import hk.yuntuo.orbit.outbox.jpa.OutboxSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;

/** A business row that enqueues its command by being persisted. */
@Entity
@Table(name = "business_job")
@EntityListeners(OutboxListener.class)
public class ReportedJob implements OutboxSource {
    @Id
    @Column(name = "operation_id", length = 32)
    private String operationId = "";

    @Column(name = "note", length = 100)
    private String note = "";

    @Transient
    private String payload = "";

    protected ReportedJob() {}

    ReportedJob(String operationId, String note, String payload) {
        this.operationId = operationId;
        this.note = note;
        this.payload = payload;
    }

    @Override
    public String outboxOperationId() {
        return operationId;
    }

    @Override
    public SubmitTaskRequest outboxRequest() {
        return Requests.of(payload);
    }
}
