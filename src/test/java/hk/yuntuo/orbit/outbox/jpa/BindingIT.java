package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.NumberedBatch;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.LockOrderException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which outbox a source goes to: the one its unit has for the queue of its request, by properties or by {@code bind()}. */
class BindingIT {
    private static final String LONG_PAYLOAD = "{\"text\":\"" + "x".repeat(2_000) + "\"}";

    private static ListenerDatabase database;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("binding");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static EntityManagerFactory unit(Map<String, Object> properties) {
        return database.unit(List.of(), properties);
    }

    @Test
    void severalQueuesOfThePropertiesEachTakeTheRequestsThatNameThem() throws SQLException {
        try (EntityManagerFactory unit = unit(Queues.properties("ns-1", "mail, report ,MAIL"))) {
            List<AssignedJob> jobs = List.of(Queues.job("report"), Queues.job("MAIL"), Queues.job("mail"));
            unit.runInTransaction(em -> jobs.forEach(em::persist));
            assertEquals("ns-1|report", row(jobs.get(0)));
            assertEquals("ns-1|MAIL", row(jobs.get(1)));
            assertEquals("ns-1|mail", row(jobs.get(2)));
        }
    }

    @Test
    void boundOutboxesStandBesideThoseOfTheProperties() throws SQLException {
        try (EntityManagerFactory unit = unit(Queues.properties("ns-1", "mail"))) {
            Outbox bound = Queues.outbox(unit, "ns-2", "report");
            assertSame(bound, bound.bind());
            List<AssignedJob> jobs = List.of(Queues.job("mail"), Queues.job("report"));
            unit.runInTransaction(em -> jobs.forEach(em::persist));
            assertEquals("ns-1|mail", row(jobs.get(0)));
            assertEquals("ns-2|report", row(jobs.get(1)));
        }
    }

    @Test
    void aQueueThatNobodyServesIsRefusedBeforeAnyStatementAndEndsTheTransaction() throws SQLException {
        try (EntityManagerFactory unit = unit(Queues.properties("ns-1", "mail"));
                StatementLog log = StatementLog.open(database.database());
                EntityManager em = unit.createEntityManager()) {
            AssignedJob job = Queues.job("nobodys");
            em.getTransaction().begin();
            log.clear();
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> em.persist(job));

            assertEquals(List.of(), log.all().stream().filter(BindingIT::isRow).toList());
            for (String part :
                    List.of("\"nobodys\"", "[mail]", AssignedJob.class.getName(), OutboxUnit.NAMESPACE_ID, ".bind()")) {
                assertTrue(e.getMessage().contains(part), e::getMessage);
            }
            assertTrue(em.getTransaction().getRollbackOnly());
            assertFalse(em.contains(job));
            em.getTransaction().rollback();
        }
    }

    private static boolean isRow(String sql) {
        return sql.contains("sender_outbox") || sql.contains("assigned_job");
    }

    @Test
    void anotherNamespaceForABoundQueueIsRefused() throws SQLException {
        try (EntityManagerFactory unit = unit(Queues.properties("ns-1", "mail"))) {
            Outbox other = Queues.outbox(unit, "ns-2", "mail");
            IllegalStateException e = assertThrows(IllegalStateException.class, other::bind);
            assertTrue(e.getMessage().contains("\"mail\""), e::getMessage);
            assertTrue(e.getMessage().contains("\"ns-1\""), e::getMessage);
            assertTrue(e.getMessage().contains("\"ns-2\""), e::getMessage);

            AssignedJob job = Queues.job("mail");
            unit.runInTransaction(em -> em.persist(job));
            assertEquals("ns-1|mail", row(job));
        }
    }

    @Test
    void anotherOutboxOfTheSameNamespaceAndQueueReplacesTheBoundOne() throws SQLException {
        try (EntityManagerFactory unit = unit(Queues.properties("ns-1", "mail"))) {
            narrow(unit).bind();
            InvalidInputException e = assertThrows(
                    InvalidInputException.class, () -> unit.runInTransaction(em -> em.persist(longJob("mail"))));
            assertEquals("request", e.field());

            Queues.outbox(unit, "ns-1", "mail").bind();
            AssignedJob job = longJob("mail");
            unit.runInTransaction(em -> em.persist(job));
            assertEquals("ns-1|mail", row(job));
        }
    }

    @Test
    void anOutboxThatIsBuiltHasTheLimitAndTheGuardOfItsUnitUnlessItIsGivenItsOwn() {
        Map<String, Object> properties =
                Map.of(OutboxUnit.MAX_DOCUMENT_BYTES, "1024", OutboxUnit.LOCK_ORDER_GUARD, "FAIL");
        try (EntityManagerFactory unit = unit(properties)) {
            AssignedJob job = longJob("mail");
            unit.runInTransaction(em -> {
                Outbox byTheUnit = Queues.outbox(unit, "ns-1", "mail");
                assertThrows(InvalidInputException.class, () -> enqueue(byTheUnit, em, job));
                em.persist(new NumberedBatch());
                assertThrows(LockOrderException.class, () -> enqueue(byTheUnit, em, Queues.job("mail")));
                Outbox own = Outbox.builder(unit)
                        .namespaceId("ns-1")
                        .queueId("mail")
                        .maxDocumentBytes(4_096)
                        .lockOrderGuard(LockOrderGuard.OFF)
                        .build();
                assertEquals(EnqueueResult.INSERTED, enqueue(own, em, job));
            });
        }
    }

    private static EnqueueResult enqueue(Outbox outbox, EntityManager em, AssignedJob job) {
        return outbox.enqueue(em, job.outboxOperationId(), job.outboxRequest());
    }

    private static Outbox narrow(EntityManagerFactory unit) {
        return Outbox.builder(unit)
                .namespaceId("ns-1")
                .queueId("mail")
                .maxDocumentBytes(1_024)
                .build();
    }

    private static AssignedJob longJob(String queueId) {
        return new AssignedJob(OperationId.next().value())
                .requesting(
                        () -> Requests.builder(LONG_PAYLOAD).queueId(queueId).build(), AssignedJob.class);
    }

    @Test
    void anOutboxThatIsBuiltButNotBoundServesNoEntity() {
        try (EntityManagerFactory unit = unit(Map.of())) {
            Queues.outbox(unit, "ns-1", "mail");
            assertThrows(
                    IllegalStateException.class, () -> unit.runInTransaction(em -> em.persist(Queues.job("mail"))));
        }
    }

    @Test
    void anOutboxServesTheUnitItWasBuiltOverOnly() throws SQLException {
        try (EntityManagerFactory one = unit(Map.of());
                EntityManagerFactory other = unit(Map.of())) {
            Queues.outbox(one, "ns-1", "mail").bind();
            assertThrows(
                    IllegalStateException.class, () -> other.runInTransaction(em -> em.persist(Queues.job("mail"))));

            Queues.outbox(other, "ns-2", "mail").bind();
            AssignedJob job = Queues.job("mail");
            one.runInTransaction(em -> em.persist(job));
            assertEquals("ns-1|mail", row(job));
        }
    }

    @Test
    void thePropertiesOfSizeAndGuardHoldForEveryQueueOfTheUnit() {
        Map<String, Object> properties = new HashMap<>(Queues.properties("ns-1", "mail,report"));
        properties.put(OutboxUnit.MAX_DOCUMENT_BYTES, 1_024);
        try (EntityManagerFactory unit = unit(properties)) {
            for (String queueId : List.of("mail", "report")) {
                InvalidInputException e = assertThrows(
                        InvalidInputException.class, () -> unit.runInTransaction(em -> em.persist(longJob(queueId))));
                assertTrue(e.getMessage().contains("at most 1024 bytes"), e::getMessage);
            }
        }
    }

    @Test
    void aClosedUnitLeavesNothingBehindAndTakesNoOutbox() throws ReflectiveOperationException {
        int unitsBefore = OpenUnits.count();
        int journalsBefore = OpenUnits.journals();
        EntityManagerFactory unit = unit(Queues.properties("ns-1", "mail"));
        Outbox outbox = Queues.outbox(unit, "ns-1", "report");
        unit.runInTransaction(em -> em.persist(Queues.job("mail")));
        assertEquals(unitsBefore + 1, OpenUnits.count());
        unit.close();

        assertThrows(IllegalStateException.class, outbox::bind);
        assertEquals(unitsBefore, OpenUnits.count());
        assertEquals(journalsBefore, OpenUnits.journals());
    }

    @Test
    void aUnitThatIsClosedOverAnOpenTransactionLeavesNothingBehind() throws ReflectiveOperationException {
        int journalsBefore = OpenUnits.journals();
        EntityManagerFactory unit = unit(Queues.properties("ns-1", "mail"));
        EntityManager em = unit.createEntityManager();
        em.getTransaction().begin();
        em.persist(Queues.job("mail"));
        em.close();
        unit.close();
        assertEquals(journalsBefore, OpenUnits.journals());
    }

    private static String row(AssignedJob job) throws SQLException {
        return database.database()
                .value("SELECT namespace_id, queue_id FROM sender_outbox WHERE operation_id = '"
                        + job.outboxOperationId() + "'");
    }
}
