package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.Session;
import org.hibernate.engine.spi.SessionImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a callback may do with its EntityManager, and that the transaction is not its own to end. */
class CallbackIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;
    private String id;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("callback");
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void oneDueRowWithItsBusinessRow() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
        id = OutboxRows.enqueue(outbox, 1).get(0);
        database.update("INSERT INTO business_job VALUES ('" + id + "', '" + id + "', NULL)");
    }

    @Test
    void theCallbackSeesTheWholeEntityManager() {
        OutboxSender sender = sender((em, record, receipt) -> {
            assertEquals(
                    1L,
                    em.createQuery("select count(j) from BusinessJob j where j.taskId is null", Long.class)
                            .getSingleResult());
            assertEquals(
                    1,
                    em.createQuery("update BusinessJob j set j.taskId = :t where j.operationId = :id")
                            .setParameter("t", receipt.taskId())
                            .setParameter("id", record.operationId())
                            .executeUpdate());
            assertTrue(em.isOpen());
            assertEquals(em.unwrap(Session.class), em.unwrap(EntityManager.class));
        });
        assertEquals(
                OutboxState.ACCEPTED,
                sender.sendOnce(StubPlatform.accepting()).orElseThrow().state());
    }

    @Test
    void theCallbackMayEnqueueAFollowUp() throws SQLException {
        String next = OperationId.next().value();
        OutboxSender failing = sender((em, record, receipt) -> {
            outbox.enqueue(em, next, Requests.of("\"next\""));
            throw new IllegalStateException("no");
        });
        assertThrows(AcceptanceException.class, () -> failing.sendOnce(StubPlatform.accepting()));
        assertTrue(outbox.status(next).isEmpty());

        OutboxRows.makeDue(database, id);
        OutboxSender chaining = sender((em, record, receipt) -> outbox.enqueue(em, next, Requests.of("\"next\"")));
        assertEquals(
                OutboxState.ACCEPTED,
                chaining.sendOnce(StubPlatform.accepting()).orElseThrow().state());
        assertEquals(OutboxState.PENDING, outbox.status(next).orElseThrow().state());
    }

    @Test
    void theCallbackCannotEndTheTransaction() throws SQLException {
        List<Throwable> refused = new ArrayList<>();
        OutboxSender sender = sender((em, record, receipt) -> {
            refused.add(assertThrows(IllegalStateException.class, em::getTransaction));
            refused.add(assertThrows(IllegalStateException.class, em::close));
            refused.add(assertThrows(IllegalStateException.class, em::joinTransaction));
            Session session = em.unwrap(Session.class);
            refused.add(assertThrows(IllegalStateException.class, session::beginTransaction));
            refused.add(assertThrows(IllegalStateException.class, () -> em.unwrap(SessionImplementor.class)));
            refused.add(assertThrows(IllegalStateException.class, ((Session) em.getDelegate())::close));
            refused.add(assertThrows(IllegalStateException.class, session::sessionWithOptions));
            refused.add(assertThrows(IllegalStateException.class, () -> session.inTransaction(t -> {})));
            session.doWork(c -> {
                c.rollback(c.setSavepoint());
                try (Statement statement = c.createStatement()) {
                    refused.add(assertThrows(
                            IllegalStateException.class,
                            () -> statement
                                    .executeQuery("SELECT 1")
                                    .getStatement()
                                    .getConnection()
                                    .commit()));
                    refused.add(assertThrows(IllegalStateException.class, statement.getConnection()::commit));
                }
                refused.add(assertThrows(
                        IllegalStateException.class, c.getMetaData().getConnection()::rollback));
            });
            session.doWork(c -> refused.add(assertThrows(IllegalStateException.class, c::commit)));
            session.doWork(c -> refused.add(assertThrows(IllegalStateException.class, c::rollback)));
            session.doReturningWork(
                    c -> refused.add(assertThrows(IllegalStateException.class, () -> c.setAutoCommit(true))));
            em.runWithConnection((Connection c) -> refused.add(assertThrows(IllegalStateException.class, c::commit)));
            em.callWithConnection((Connection c) -> refused.add(assertThrows(IllegalStateException.class, c::close)));
            link(em, record, receipt);
        });
        assertEquals(
                OutboxState.ACCEPTED,
                sender.sendOnce(StubPlatform.accepting()).orElseThrow().state());
        assertEquals(16, refused.size());
        assertTrue(taskOfJob().startsWith("task-of-"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "  commit and chain",
                "/* now */ START TRANSACTION",
                "-- now\nBEGIN",
                "TRUNCATE TABLE business_job",
                "CREATE TABLE t (a INT)",
                "SET @@session.autocommit = 1"
            })
    void sqlThatWouldEndTheTransactionIsRefused(String sql) throws SQLException {
        List<OnAccepted> ways = List.of(
                (em, record, receipt) -> em.createNativeQuery(sql).executeUpdate(),
                (em, record, receipt) -> em.unwrap(Session.class).doWork(c -> TestDatabase.execute(c, sql)),
                (em, record, receipt) -> em.unwrap(Session.class)
                        .doWork(c -> c.prepareStatement(sql).execute()));
        for (OnAccepted way : ways) {
            OutboxSender sender = sender((em, record, receipt) -> {
                link(em, record, receipt);
                way.accepted(em, record, receipt);
            });
            assertThrows(AcceptanceException.class, () -> sender.sendOnce(StubPlatform.accepting()));
            assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
            assertEquals("null", taskOfJob());
            OutboxRows.makeDue(database, id);
        }
    }

    private static void link(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) {
        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
    }

    private String taskOfJob() throws SQLException {
        return database.value("SELECT task_id FROM business_job WHERE operation_id = '" + id + "'");
    }

    private static OutboxSender sender(OnAccepted callback) {
        return OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted(callback)
                .build();
    }
}
