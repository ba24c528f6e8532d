package hk.yuntuo.orbit.outbox.support;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;

/** A business row that runs code of its own within the flush. */
@Entity
@Table(name = "business_job")
public class MarkingJob {
    @Id
    @Column(name = "operation_id", length = 32)
    private String operationId = "";

    @Transient
    private Runnable inFlush = () -> {};

    protected MarkingJob() {}

    public MarkingJob(String operationId, Runnable inFlush) {
        this.operationId = operationId;
        this.inFlush = inFlush;
    }

    @PostPersist
    void run() {
        inFlush.run();
    }
}
