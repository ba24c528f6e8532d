package hk.yuntuo.orbit.outbox.jpa.sources;

import hk.yuntuo.orbit.outbox.jpa.OutboxListener;
import hk.yuntuo.orbit.outbox.jpa.OutboxSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.Column;
import jakarta.persistence.DiscriminatorColumn;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.ExcludeSuperclassListeners;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Entities that lack one half of what enqueues, the listener or the interface, or have one half from elsewhere. */
public final class HalfJobs {
    /** Their tables. */
    public static final List<String> TABLES = List.of(
            "bare_job (operation_id CHAR(32) PRIMARY KEY)",
            "numbered_bare_job (id BIGINT AUTO_INCREMENT PRIMARY KEY, operation_id CHAR(32))",
            "deaf_job (operation_id CHAR(32) PRIMARY KEY, note VARCHAR(100))",
            "errand (operation_id CHAR(32) PRIMARY KEY, kind VARCHAR(31))",
            "listened_note (id VARCHAR(32) PRIMARY KEY)");

    private HalfJobs() {}

    /** A source that names no listener. */
    @Entity
    @Table(name = "bare_job")
    public static class BareJob implements OutboxSource {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        protected BareJob() {}

        public BareJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{}");
        }
    }

    /** Another, whose row is inserted by the persist itself. */
    @Entity
    @Table(name = "numbered_bare_job")
    public static class NumberedBareJob implements OutboxSource {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private @Nullable Long id;

        @Column(name = "operation_id")
        private String operationId = "";

        protected NumberedBareJob() {}

        public NumberedBareJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{}");
        }
    }

    /** It names the listener, which cannot know what to submit. */
    @Entity
    @EntityListeners(OutboxListener.class)
    @Table(name = "listened_note")
    public static class ListenedNote {
        @Id
        private String id = "";

        protected ListenedNote() {}

        public ListenedNote(String id) {
            this.id = id;
        }
    }

    /** It inherits both and turns the listener away. */
    @Entity
    @ExcludeSuperclassListeners
    @Table(name = "deaf_job")
    public static class DeafJob extends Job {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        protected DeafJob() {}

        public DeafJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }
    }

    /** It leaves the listener to its subclasses; it has no instances of its own. */
    @Entity
    @Table(name = "errand")
    @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
    @DiscriminatorColumn(name = "kind")
    public abstract static class Errand implements OutboxSource {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        protected Errand() {}

        protected Errand(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{}");
        }
    }

    /** Such a subclass: nothing is missing. */
    @Entity
    @EntityListeners(OutboxListener.class)
    public static class Delivery extends Errand {
        protected Delivery() {}

        public Delivery(String operationId) {
            super(operationId);
        }
    }
}
