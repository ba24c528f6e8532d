package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.RollbackException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** One enqueue in one transaction, and what is left of it. */
class EnqueueIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final String id = OperationId.next().value();
    private final SubmitTaskRequest request = Requests.of("{\"n\":1}");

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("enqueue");
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void aCommittedTransactionLeavesOnePendingRow() {
        EnqueueResult result = outbox.transactions().inTransaction(em -> {
            EnqueueResult enqueued = outbox.enqueue(em, id, request);
            em.persist(new BusinessJob(id, id));
            return enqueued;
        });

        assertEquals(EnqueueResult.INSERTED, result);
        OutboxRecord row = outbox.status(id).orElseThrow();
        assertEquals(OutboxState.PENDING, row.state());
        assertEquals("outbox-task-" + id, row.submissionKey());
        assertEquals(0, row.sendCount());
        assertEquals(0, row.leaseEpoch());
        assertEquals(row.createdAt(), row.dueAt());
        assertEquals(Duration.ofHours(24), Duration.between(row.createdAt(), row.sendDeadlineAt()));
        assertEquals(Optional.of(row), Optional.of(outbox.resolve(id).orElseThrow()));
    }

    @Test
    void theSameAgainIsADuplicateAndChangesNothing() throws SQLException {
        commit(request);
        String before = row();

        assertEquals(EnqueueResult.DUPLICATE, commit(request));
        assertEquals(EnqueueResult.DUPLICATE, commit(Requests.of("{\"n\":1}")));
        assertEquals(before, row());
    }

    @Test
    void twiceInOneTransactionIsADuplicateTheSecondTime() throws SQLException {
        List<EnqueueResult> results = outbox.transactions()
                .inTransaction(em -> List.of(outbox.enqueue(em, id, request), outbox.enqueue(em, id, request)));

        assertEquals(List.of(EnqueueResult.INSERTED, EnqueueResult.DUPLICATE), results);
        assertEquals(1, rowCount());
    }

    @Test
    void aDuplicateIsStillADuplicateAfterTheRowHasMovedOn() throws SQLException {
        commit(request);
        database.update(
                "UPDATE sender_outbox SET state = 'ACCEPTED', result_code = 'ACCEPTED', due_at = NULL, task_id = 't', receipt_json = '{}',"
                        + " settled_at = UTC_TIMESTAMP(6) WHERE namespace_id = 'ns-1' AND operation_id = '" + id + "'");

        assertEquals(EnqueueResult.DUPLICATE, commit(request));
    }

    @Test
    void otherContentIsAConflictAndTheStoredCommandStands() throws SQLException {
        commit(request);
        String before = row();

        for (SubmitTaskRequest other : List.of(
                Requests.of("{\"n\":2}"),
                Requests.of("{\"n\": 1}"),
                Requests.of("{\"n\":1.0}"),
                Requests.builder("{\"n\":1}").businessKey("k").build(),
                Requests.builder("{\"n\":1}").taskTimeout(Duration.ofSeconds(5)).build())) {
            OutboxConflictException e = assertThrows(OutboxConflictException.class, () -> commit(other));
            assertEquals(Optional.of(id), e.operationId());
        }
        assertEquals(before, row());
    }

    @Test
    void anotherQueueIsAConflict() {
        commit(request);
        Outbox other = Outbox.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId("queue-2")
                .build();
        SubmitTaskRequest elsewhere =
                Requests.builder("{\"n\":1}").queueId("queue-2").build();

        assertThrows(
                OutboxConflictException.class,
                () -> other.transactions().inTransaction(em -> other.enqueue(em, id, elsewhere)));
        assertTrue(other.status(id).isEmpty());
        assertTrue(other.resolve(id).isEmpty());
    }

    @Test
    void anotherNamespaceIsAnotherOperation() throws SQLException {
        commit(request);
        Outbox other = Outbox.builder(factory)
                .namespaceId("NS-1")
                .queueId(Requests.QUEUE)
                .build();

        assertEquals(EnqueueResult.INSERTED, other.transactions().inTransaction(em -> other.enqueue(em, id, request)));
        assertEquals(2, rowCount());
    }

    @Test
    void aSnapshotOlderThanTheStoredCommandStillFindsIt() throws SQLException {
        EntityManagerFactory repeatable =
                database.unit("sessionVariables=transaction_isolation='REPEATABLE-READ'", Map.of());
        try (EntityManager em = repeatable.createEntityManager()) {
            em.getTransaction().begin();
            assertTrue(outbox.status(em, id).isEmpty());
            commit(request);
            assertTrue(outbox.status(em, id).isEmpty(), "not an old snapshot");
            assertEquals(EnqueueResult.DUPLICATE, outbox.enqueue(em, id, request));
            assertThrows(OutboxConflictException.class, () -> outbox.enqueue(em, id, Requests.of("{\"n\":2}")));
            em.getTransaction().commit();
        }
    }

    @Test
    void aFailedBusinessInsertTakesTheCommandWithIt() throws SQLException {
        outbox.transactions().inTransaction(em -> {
            em.persist(new BusinessJob(OperationId.next().value(), "taken-" + id));
            return null;
        });

        assertThrows(
                PersistenceException.class,
                () -> outbox.transactions().inTransaction(em -> {
                    outbox.enqueue(em, id, request);
                    em.persist(new BusinessJob(id, "taken-" + id));
                    return null;
                }));
        assertEquals(0, rowCount());
        assertTrue(outbox.status(id).isEmpty());
    }

    @Test
    void aRolledBackTransactionLeavesNothing() throws SQLException {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            assertEquals(EnqueueResult.INSERTED, outbox.enqueue(em, id, request));
            assertTrue(outbox.status(em, id).isPresent());
            em.getTransaction().rollback();
        }
        assertEquals(0, rowCount());
    }

    @Test
    void withoutATransactionNothingIsWritten() throws SQLException {
        try (EntityManager em = factory.createEntityManager()) {
            assertThrows(IllegalStateException.class, () -> outbox.enqueue(em, id, request));
            em.getTransaction().begin();
            em.getTransaction().commit();
            assertThrows(IllegalStateException.class, () -> outbox.enqueue(em, id, request));
        }
        assertEquals(0, rowCount());
    }

    @Test
    void aTransactionMarkedForRollbackIsRefused() throws SQLException {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            em.getTransaction().setRollbackOnly();
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> outbox.enqueue(em, id, request));
            assertTrue(e.getMessage().contains("can no longer commit"), e.getMessage());
            em.getTransaction().rollback();
        }
        assertEquals(0, rowCount());
    }

    @Test
    void anAutocommittingConnectionInsideATransactionIsRefused() throws SQLException {
        HikariDataSource pool = database.pool("", 2, true);
        EntityManagerFactory misconfigured = database.unit(pool, Map.of());
        try (EntityManager em = misconfigured.createEntityManager()) {
            em.getTransaction().begin();
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> outbox.enqueue(em, id, request));
            assertTrue(e.getMessage().contains("provider_disables_autocommit"), e.getMessage());
        }
        assertEquals(0, rowCount());
    }

    @Test
    void pendingEntitiesAreNotFlushedByAnEnqueue() throws SQLException {
        try (StatementLog log = StatementLog.open(database);
                EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            long connectionId = StatementLog.connectionId(em);
            em.persist(new BusinessJob(id, id));
            outbox.enqueue(em, id, request);
            outbox.enqueue(em, id, request);
            assertFalse(log.of(connectionId).stream().anyMatch(sql -> sql.contains("business_job")));
            em.getTransaction().commit();

            List<String> sent = log.of(connectionId);
            int outboxInsert = indexOf(sent, "INSERT INTO sender_outbox");
            int businessInsert = indexOf(sent, "insert into business_job");
            assertTrue(outboxInsert >= 0 && outboxInsert < businessInsert, sent.toString());
        }
    }

    @Test
    void anEnqueueIsOneStatementBetweenTheOthers() throws SQLException {
        try (StatementLog log = StatementLog.open(database);
                EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            long connectionId = StatementLog.connectionId(em);
            int before = log.of(connectionId).size();
            outbox.enqueue(em, id, request);
            assertEquals(before + 1, log.of(connectionId).size());
            em.getTransaction().rollback();
        }
    }

    @Test
    void afterADuplicateTheEntityManagerCanDoEverything() throws SQLException {
        commit(request);
        outbox.transactions().inTransaction(em -> {
            assertEquals(EnqueueResult.DUPLICATE, outbox.enqueue(em, id, request));
            em.persist(new BusinessJob(id, id));
            em.flush();
            return em.createQuery("select j.note from BusinessJob j where j.operationId = :id", String.class)
                    .setParameter("id", id)
                    .getSingleResult();
        });
        assertEquals("1", database.value("SELECT COUNT(*) FROM business_job WHERE operation_id = '" + id + "'"));
    }

    @Test
    void afterAConflictTheEntityManagerCanDoEverything() throws SQLException {
        commit(request);
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            assertThrows(OutboxConflictException.class, () -> outbox.enqueue(em, id, Requests.of("{\"n\":2}")));
            assertFalse(em.getTransaction().getRollbackOnly());
            em.persist(new BusinessJob(id, id));
            em.getTransaction().commit();
        }
        assertEquals("1", database.value("SELECT COUNT(*) FROM business_job WHERE operation_id = '" + id + "'"));
    }

    @Test
    void afterABusinessConstraintErrorTheTransactionCannotCommit() throws SQLException {
        outbox.transactions().inTransaction(em -> {
            em.persist(new BusinessJob(OperationId.next().value(), "held-" + id));
            return null;
        });
        RollbackException e = assertThrows(
                RollbackException.class,
                () -> outbox.transactions().inTransaction(em -> {
                    outbox.enqueue(em, id, request);
                    em.persist(new BusinessJob(id, "held-" + id));
                    assertThrows(PersistenceException.class, em::flush);
                    assertThrows(
                            IllegalStateException.class,
                            () -> outbox.enqueue(em, OperationId.next().value(), request));
                    return null;
                }));
        assertTrue(e.getMessage().contains("rolled back"), e.getMessage());
        assertEquals(0, rowCount());
    }

    @Test
    void afterAStorageErrorTheTransactionCannotCommit() throws SQLException {
        EntityManagerFactory unit = database.unit();
        try (EntityManager em = unit.createEntityManager()) {
            em.getTransaction().begin();
            em.unwrap(Session.class).doWork(connection -> TestDatabase.execute(connection, "USE mysql"));
            OutboxStorageException e =
                    assertThrows(OutboxStorageException.class, () -> outbox.enqueue(em, id, request));
            assertEquals(Optional.of(id), e.operationId());
            assertTrue(em.getTransaction().getRollbackOnly());
            em.getTransaction().rollback();
        }
    }

    @Test
    void badInputIsNamedBeforeAnySql() throws SQLException {
        try (StatementLog log = StatementLog.open(database);
                EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            long connectionId = StatementLog.connectionId(em);
            int before = log.of(connectionId).size();
            SubmitTaskRequest elsewhere =
                    Requests.builder("1").queueId("queue-9").build();
            assertEquals("operationId", field(() -> outbox.enqueue(em, "ABCDEF", request)));
            assertEquals("operationId", field(() -> outbox.enqueue(em, null, request)));
            assertEquals("operationId", field(() -> outbox.status("x")));
            assertEquals("operationId", field(() -> outbox.resolve("x")));
            assertEquals("queueId", field(() -> outbox.enqueue(em, id, elsewhere)));
            assertEquals("limit", field(() -> outbox.resolve(id, Duration.ofMillis(1))));
            assertEquals(before, log.of(connectionId).size());
            assertFalse(em.getTransaction().getRollbackOnly());
            em.getTransaction().rollback();
        }
    }

    @Test
    void aUnitThatGivesItsConnectionAwayInATransactionIsRefused() {
        for (String mode : List.of(
                "DELAYED_ACQUISITION_AND_RELEASE_AFTER_STATEMENT",
                "DELAYED_ACQUISITION_AND_RELEASE_BEFORE_TRANSACTION_COMPLETION")) {
            EntityManagerFactory unit = database.unit("", Map.of("hibernate.connection.handling_mode", mode));
            assertEquals(
                    "hibernate.connection.handling_mode",
                    field(() ->
                            Outbox.builder(unit).namespaceId("n").queueId("q").build()));
            assertEquals(
                    "hibernate.connection.handling_mode",
                    field(() -> OutboxSender.builder(unit)
                            .namespaceId("n")
                            .queueId("q")
                            .build()));
        }
    }

    @Test
    void settingsAreNamedWhenTheyAreMissingOrWrong() {
        assertEquals(
                "namespaceId", field(() -> Outbox.builder(factory).queueId("q").build()));
        assertEquals(
                "queueId",
                field(() ->
                        Outbox.builder(factory).namespaceId("n").queueId("a b").build()));
        assertEquals(
                "maxDocumentBytes",
                field(() -> Outbox.builder(factory)
                        .namespaceId("n")
                        .queueId("q")
                        .maxDocumentBytes(16_777_216)
                        .build()));
    }

    @Test
    void statusLocksNothingAndSeesOnlyWhatIsCommitted() throws SQLException {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            outbox.enqueue(em, id, request);
            assertTrue(outbox.status(id).isEmpty());
            em.getTransaction().rollback();
        }
        commit(request);
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.rows(holder, "SELECT 1 FROM sender_outbox WHERE operation_id = '" + id + "' FOR UPDATE");
            assertTrue(outbox.status(id).isPresent());
            holder.rollback();
        }
    }

    private static EnqueueResult commit(String id, SubmitTaskRequest request) {
        return outbox.transactions().inTransaction(em -> outbox.enqueue(em, id, request));
    }

    private EnqueueResult commit(SubmitTaskRequest other) {
        return commit(id, other);
    }

    private String row() throws SQLException {
        return database.value("SELECT * FROM sender_outbox WHERE operation_id = '" + id + "'");
    }

    private int rowCount() throws SQLException {
        return Integer.parseInt(database.value("SELECT COUNT(*) FROM sender_outbox WHERE operation_id = '" + id + "'"));
    }

    private static int indexOf(List<String> statements, String start) {
        for (int i = 0; i < statements.size(); i++) {
            if (statements.get(i).startsWith(start)) {
                return i;
            }
        }
        return -1;
    }

    private static String field(Executable call) {
        return assertThrows(InvalidInputException.class, call).field();
    }
}
