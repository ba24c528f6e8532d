package hk.yuntuo.orbit.outbox.jpa.sources;

import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToOne;
import jakarta.persistence.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A source whose request reads the inverse side of an association. */
public final class Parcels {
    public static final List<Class<?>> ALL = List.of(Parcel.class, Label.class);

    public static final List<String> TABLES = List.of(
            "parcel (operation_id CHAR(32) PRIMARY KEY, note VARCHAR(100))",
            "label (id VARCHAR(32) PRIMARY KEY, text VARCHAR(100), parcel_id CHAR(32))");

    private Parcels() {}

    /** The label knows the parcel. */
    @Entity
    @Table(name = "parcel")
    public static class Parcel extends Job {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        @OneToOne(mappedBy = "parcel", cascade = CascadeType.ALL)
        private @Nullable Label label;

        protected Parcel() {}

        public Parcel(String operationId, String text) {
            this.operationId = operationId;
            this.label = new Label(operationId, text, this);
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{\"label\":\"" + (label == null ? "" : label.text) + "\"}");
        }
    }

    /** The owner of the association. */
    @Entity
    @Table(name = "label")
    public static class Label {
        @Id
        private String id = "";

        private String text = "";

        @OneToOne
        @JoinColumn(name = "parcel_id")
        private @Nullable Parcel parcel;

        protected Label() {}

        Label(String id, String text, Parcel parcel) {
            this.id = id;
            this.text = text;
            this.parcel = parcel;
        }
    }
}
