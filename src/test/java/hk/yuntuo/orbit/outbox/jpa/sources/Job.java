package hk.yuntuo.orbit.outbox.jpa.sources;

import hk.yuntuo.orbit.outbox.jpa.OutboxListener;
import hk.yuntuo.orbit.outbox.jpa.OutboxSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.Column;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Transient;
import java.util.function.Supplier;

/** What all sources of the tests have: an operation, a note, and a request that a test may replace. */
@MappedSuperclass
@EntityListeners(OutboxListener.class)
public abstract class Job implements OutboxSource {
    @Column(name = "note", length = 100)
    private String note = "";

    @Transient
    private Supplier<SubmitTaskRequest> request = () -> Requests.of("{\"note\":\"" + note + "\"}");

    protected Job() {}

    protected Job(String note) {
        this.note = note;
    }

    @Override
    public SubmitTaskRequest outboxRequest() {
        return request.get();
    }

    public void note(String value) {
        note = value;
    }

    public String note() {
        return note;
    }

    public <T extends Job> T requesting(Supplier<SubmitTaskRequest> value, Class<T> type) {
        request = value;
        return type.cast(this);
    }
}
