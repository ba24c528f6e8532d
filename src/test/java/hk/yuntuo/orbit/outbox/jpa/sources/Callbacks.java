package hk.yuntuo.orbit.outbox.jpa.sources;

import hk.yuntuo.orbit.outbox.jpa.OutboxListener;
import hk.yuntuo.orbit.outbox.jpa.OutboxSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.PrePersist;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sources with callbacks of their own, around the listener's, and one that reads another entity for its request. */
public final class Callbacks {
    public static final List<Class<?>> ALL =
            List.of(NumberedBefore.class, NumberedByItself.class, CheckedByItself.class, Customer.class, Order.class);

    public static final List<String> TABLES = List.of(
            "callback_job (id VARCHAR(32) PRIMARY KEY, operation_id CHAR(32))",
            "customer (id VARCHAR(32) PRIMARY KEY, name VARCHAR(100))",
            "customer_order (id VARCHAR(32) PRIMARY KEY, customer_id VARCHAR(32))");

    private Callbacks() {}

    /** An id for a job that has none. */
    public interface Numbered {
        void number();
    }

    /** An application's own listener. */
    public static class Numbering {
        @PrePersist
        void number(Object entity) {
            ((Numbered) entity).number();
        }
    }

    /** A listener named before the outbox's gives the operation id. */
    @Entity
    @EntityListeners({Numbering.class, OutboxListener.class})
    @Table(name = "callback_job")
    public static class NumberedBefore implements OutboxSource, Numbered {
        @Id
        private String id = "";

        @Column(name = "operation_id")
        private @Nullable String operationId;

        protected NumberedBefore() {}

        public NumberedBefore(String id) {
            this.id = id;
        }

        @Override
        public void number() {
            operationId = id;
        }

        @Override
        public @Nullable String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{}");
        }
    }

    /** Its own callback runs after the listeners: too late to give the operation id. */
    @Entity
    @EntityListeners(OutboxListener.class)
    @Table(name = "callback_job")
    public static class NumberedByItself implements OutboxSource {
        @Id
        private String id = "";

        @Column(name = "operation_id")
        private @Nullable String operationId;

        protected NumberedByItself() {}

        public NumberedByItself(String id) {
            this.id = id;
        }

        @PrePersist
        void number() {
            operationId = id;
        }

        @Override
        public @Nullable String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{}");
        }
    }

    /** Its own callback refuses it, after it was enqueued. */
    @Entity
    @EntityListeners(OutboxListener.class)
    @Table(name = "callback_job")
    public static class CheckedByItself implements OutboxSource {
        @Id
        private String id = "";

        @Transient
        private RuntimeException refusal = new IllegalStateException();

        protected CheckedByItself() {}

        public CheckedByItself(String id, RuntimeException refusal) {
            this.id = id;
            this.refusal = refusal;
        }

        @PrePersist
        void check() {
            throw refusal;
        }

        @Override
        public String outboxOperationId() {
            return id;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{}");
        }
    }

    /** Read for an order's request. */
    @Entity
    @Table(name = "customer")
    public static class Customer {
        @Id
        private String id = "";

        private String name = "";

        protected Customer() {}

        public Customer(String id, String name) {
            this.id = id;
            this.name = name;
        }

        public String name() {
            return name;
        }
    }

    /** Its request reads a lazy association. */
    @Entity
    @EntityListeners(OutboxListener.class)
    @Table(name = "customer_order")
    public static class Order implements OutboxSource {
        @Id
        private String id = "";

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "customer_id")
        private @Nullable Customer customer;

        protected Order() {}

        public Order(String id, Customer customer) {
            this.id = id;
            this.customer = customer;
        }

        @Override
        public String outboxOperationId() {
            return id;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{\"customer\":\"" + (customer == null ? "" : customer.name()) + "\"}");
        }
    }
}
