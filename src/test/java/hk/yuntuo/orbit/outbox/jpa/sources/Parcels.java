package hk.yuntuo.orbit.outbox.jpa.sources;

import hk.yuntuo.orbit.outbox.jpa.OutboxListener;
import hk.yuntuo.orbit.outbox.jpa.OutboxSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
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
            "parcel (operation_id CHAR(32) PRIMARY KEY)",
            "label (id VARCHAR(32) PRIMARY KEY, text VARCHAR(100), parcel_id CHAR(32))");

    private Parcels() {}

    /** The label knows the parcel; the setter keeps both sides, as many do. */
    @Entity
    @EntityListeners(OutboxListener.class)
    @Table(name = "parcel")
    public static class Parcel implements OutboxSource {
        private String operationId = "";
        private @Nullable Label label;

        protected Parcel() {}

        public Parcel(String operationId, String text) {
            this.operationId = operationId;
            this.label = new Label(operationId, text, this);
        }

        @Id
        @Column(name = "operation_id")
        public String getOperationId() {
            return operationId;
        }

        public void setOperationId(String value) {
            operationId = value;
        }

        @OneToOne(mappedBy = "parcel", cascade = CascadeType.ALL)
        public @Nullable Label getLabel() {
            return label;
        }

        public void setLabel(@Nullable Label value) {
            label = value;
            if (value != null) {
                value.setParcel(this);
            }
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
        private String id = "";
        private String text = "";
        private @Nullable Parcel parcel;

        protected Label() {}

        Label(String id, String text, Parcel parcel) {
            this.id = id;
            this.text = text;
            this.parcel = parcel;
        }

        @Id
        public String getId() {
            return id;
        }

        public void setId(String value) {
            id = value;
        }

        public String getText() {
            return text;
        }

        public void setText(String value) {
            text = value;
        }

        @OneToOne
        @JoinColumn(name = "parcel_id")
        public @Nullable Parcel getParcel() {
            return parcel;
        }

        public void setParcel(@Nullable Parcel value) {
            parcel = value;
        }
    }
}
