package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.support.DocumentedCode;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceConfiguration;
import jakarta.persistence.Table;
import java.io.IOException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The code of docs/entity-listener.md is this code, and it works. */
class ListenerDocumentIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final MailOrder order = new MailOrder(OperationId.next().value(), "a@example.org");

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("document");
        database.update("CREATE TABLE mail_order (operationId CHAR(32) PRIMARY KEY, recipient VARCHAR(100))");
        factory = unit(database.pool("", 5));
        outbox = Outbox.builder(factory).namespaceId("team-a").queueId("mails").build();
    }

    private static EntityManagerFactory unit(DataSource pool) {
        // listener:unit
        EntityManagerFactory unit = new PersistenceConfiguration("orders")
                .managedClass(MailOrder.class)
                .property("jakarta.persistence.nonJtaDataSource", pool)
                .property(OutboxUnit.NAMESPACE_ID, "team-a")
                .property(OutboxUnit.QUEUE_ID, "mails")
                .createEntityManagerFactory();
        // end of listener:unit
        return unit;
    }

    @AfterAll
    static void close() {
        factory.close();
        database.close();
    }

    // listener:entity
    @Entity
    @Table(name = "mail_order")
    @EntityListeners(OutboxListener.class)
    public static class MailOrder implements OutboxSource {
        @Id
        private String operationId = "";

        private String recipient = "";

        protected MailOrder() {}

        public MailOrder(String operationId, String recipient) {
            this.operationId = operationId;
            this.recipient = recipient;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return SubmitTaskRequest.builder()
                    .queueId("mails")
                    .handler("mail.send")
                    .handlerVersion("v1")
                    .payloadVersion("v1")
                    .payload(JsonNodeFactory.instance.objectNode().put("to", recipient))
                    .build();
        }
    }
    // end of listener:entity

    // listener:report
    static MailOrder report(Outbox outbox, MailOrder order) {
        return outbox.transactions().inTransaction(order.outboxOperationId(), em -> {
            if (outbox.enqueue(em, order.outboxOperationId(), order.outboxRequest()) == EnqueueResult.DUPLICATE) {
                return em.find(MailOrder.class, order.outboxOperationId(), LockModeType.PESSIMISTIC_READ);
            }
            em.persist(order); // takes the command over; nothing more is enqueued
            return order;
        });
    }
    // end of listener:report

    @Test
    void persistingTheEntityOfTheDocumentEnqueuesIt() throws SQLException {
        outbox.transactions().inTransaction(em -> {
            em.persist(order);
            return null;
        });
        assertEquals(1, stored("sender_outbox", "operation_id"));
        assertEquals(1, stored("mail_order", "operationId"));
    }

    @Test
    void reportedAgainItIsFoundAndNotStoredAgain() throws SQLException {
        assertSame(order, report(outbox, order));
        MailOrder again = new MailOrder(order.outboxOperationId(), "a@example.org");
        MailOrder found = report(outbox, again);
        assertNotSame(again, found);
        assertEquals(order.outboxOperationId(), found.outboxOperationId());
        assertEquals(1, stored("sender_outbox", "operation_id"));
        assertEquals(1, stored("mail_order", "operationId"));
    }

    @Test
    void reportedAgainWithOtherContentItIsAConflict() {
        report(outbox, order);
        MailOrder other = new MailOrder(order.outboxOperationId(), "b@example.org");
        assertThrows(OutboxConflictException.class, () -> report(outbox, other));
    }

    private int stored(String table, String column) throws SQLException {
        return Integer.parseInt(database.value(
                "SELECT COUNT(*) FROM " + table + " WHERE " + column + " = '" + order.outboxOperationId() + "'"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unit", "entity", "report"})
    void theDocumentShowsThisVeryCode(String name) throws IOException {
        new DocumentedCode(
                        "docs/entity-listener.md", "src/test/java/hk/yuntuo/orbit/outbox/jpa/ListenerDocumentIT.java")
                .assertShown("listener:" + name);
    }
}
