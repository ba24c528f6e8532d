package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.jpa.sources.Callbacks;
import hk.yuntuo.orbit.outbox.jpa.sources.Callbacks.CheckedByItself;
import hk.yuntuo.orbit.outbox.jpa.sources.Callbacks.Customer;
import hk.yuntuo.orbit.outbox.jpa.sources.Callbacks.NumberedBefore;
import hk.yuntuo.orbit.outbox.jpa.sources.Callbacks.NumberedByItself;
import hk.yuntuo.orbit.outbox.jpa.sources.Callbacks.Order;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.Batch;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.CapturedLog;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.RollbackException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.spi.EventType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What persisting a source throws, and what is left of the transaction then. */
class ListenerIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory factory;
    private static EntityManagerFactory compliant;
    private static Outbox outbox;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("listener");
        for (String table : Callbacks.TABLES) {
            database.database().update("CREATE TABLE " + table);
        }
        factory = unit(Map.of());
        compliant = unit(Map.of("hibernate.jpa.compliance.transaction", "true"));
        outbox = Requests.outbox(factory);
    }

    private static EntityManagerFactory unit(Map<String, Object> properties) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put(OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE);
        all.put(OutboxUnit.QUEUE_ID, Requests.QUEUE);
        return database.unit(Callbacks.ALL, all);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static void persist(Object entity) {
        outbox.transactions().inTransaction(em -> {
            em.persist(entity);
            return null;
        });
    }

    @Test
    void theRequestIsTakenWhenTheEntityIsPersisted() throws SQLException {
        AssignedJob job = new AssignedJob(id);
        outbox.transactions().inTransaction(em -> {
            em.persist(job);
            job.note("later " + id);
            return null;
        });
        assertTrue(document().contains("\"note\":\"" + id + "\""), document());
        assertEquals(
                "later " + id,
                database.database().value("SELECT note FROM assigned_job WHERE operation_id = '" + id + "'"));
    }

    @Test
    void aLazyAssociationIsReadForTheRequest() throws SQLException {
        inTransaction(factory, em -> {
            em.persist(new Customer(id, "Zoë"));
            em.getTransaction().commit();
        });
        inTransaction(factory, em -> {
            em.persist(new Order(id, em.getReference(Customer.class, id)));
            em.getTransaction().commit();
        });
        assertTrue(document().contains("\"customer\":\"Zoë\""), document());
    }

    @Test
    void aListenerNamedBeforeOursMayGiveTheOperationId() throws SQLException {
        persist(new NumberedBefore(id));
        assertEquals(1, database.commands(List.of(id)));
    }

    @Test
    void theEntitysOwnCallbackIsTooLateToGiveTheOperationIdAndTheErrorSaysSo() throws SQLException {
        InvalidInputException e = assertThrows(InvalidInputException.class, () -> persist(new NumberedByItself(id)));
        assertEquals("outboxOperationId", e.field());
        assertTrue(e.getMessage().contains("@PrePersist"), e.getMessage());
        assertEquals(0, database.rowsOf("callback_job", id));
    }

    @Test
    void anOperationIdOfAnotherFormNamesTheEntity() {
        InvalidInputException e = assertThrows(InvalidInputException.class, () -> persist(new AssignedJob("")));
        assertEquals("outboxOperationId", e.field());
        assertTrue(e.getMessage().contains(AssignedJob.class.getName()), e.getMessage());
        assertTrue(e.getMessage().contains("32 lowercase"), e.getMessage());
    }

    @Test
    void theEntitysOwnCallbackMayStillRefuseItAndThenNothingIsLeft() throws SQLException {
        RuntimeException refusal = new IllegalArgumentException("refused");
        inTransaction(factory, em -> {
            assertSame(
                    refusal, assertThrows(RuntimeException.class, () -> em.persist(new CheckedByItself(id, refusal))));
            assertTrue(em.getTransaction().getRollbackOnly());
            em.getTransaction().commit();
        });
        assertEquals(0, database.commands(List.of(id)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheSourceThrowsIsThrownAndMarksTheTransaction(boolean unchecked) throws SQLException {
        Throwable own = unchecked ? new IllegalArgumentException("own") : new AssertionError("own");
        AssignedJob job = new AssignedJob(id).requesting(() -> raise(own), AssignedJob.class);
        inTransaction(factory, em -> {
            em.persist(new AssignedJob(OperationId.next().value()));
            Throwable thrown = assertThrows(Throwable.class, () -> em.persist(job));
            assertTrue(thrown == own || thrown.getCause() == own, thrown.toString());
            assertTrue(em.getTransaction().getRollbackOnly());
            em.getTransaction().rollback();
        });
        assertEquals(0, database.commands(List.of(id)));
    }

    private static <T> T raise(Throwable own) {
        if (own instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) own;
    }

    @Test
    void aSwallowedErrorCannotCommitTheRest() throws SQLException {
        String other = OperationId.next().value();
        inTransaction(factory, em -> {
            swallowAnError(em, other);
            em.getTransaction().commit();
        });
        assertEquals(0, database.commands(List.of(other, id)));
        assertEquals(0, database.rowsOf("assigned_job", other));
    }

    @Test
    void withTransactionComplianceTheCommitAfterASwallowedErrorThrows() throws SQLException {
        String other = OperationId.next().value();
        inTransaction(compliant, em -> {
            swallowAnError(em, other);
            assertThrows(RollbackException.class, () -> em.getTransaction().commit());
        });
        assertEquals(0, database.commands(List.of(other, id)));
        assertEquals(0, database.rowsOf("assigned_job", other));
    }

    @Test
    void inTransactionThrowsAfterASwallowedError() throws SQLException {
        String other = OperationId.next().value();
        assertThrows(
                RollbackException.class,
                () -> outbox.transactions().inTransaction(em -> {
                    swallowAnError(em, other);
                    return null;
                }));
        assertEquals(0, database.commands(List.of(other, id)));
    }

    private void swallowAnError(EntityManager em, String other) {
        em.persist(new AssignedJob(other));
        AssignedJob wrong = new AssignedJob(id)
                .requesting(() -> Requests.builder("{}").queueId("unserved").build(), AssignedJob.class);
        assertThrows(IllegalStateException.class, () -> em.persist(wrong));
    }

    @Test
    void anErrorInTheMiddleOfACascadeLeavesNothing() throws SQLException {
        Batch batch = new Batch(id);
        batch.jobs().add(new AssignedJob(id));
        batch.jobs().add(new AssignedJob("not an operation id"));
        assertThrows(InvalidInputException.class, () -> persist(batch));
        assertEquals(0, database.commands(List.of(id)));
    }

    @Test
    void anErrorLeavesNoSessionBehindForTheNextCall() {
        AssignedJob wrong = new AssignedJob(id).requesting(() -> raise(new IllegalStateException()), AssignedJob.class);
        assertThrows(IllegalStateException.class, () -> persist(wrong));
        assertNull(SessionAtHand.current());
    }

    @Test
    void anInsertThatAListenerOfTheApplicationVetoesWithdrawsTheCommand() throws SQLException {
        EntityManagerFactory vetoing = unit(Map.of());
        vetoing.unwrap(SessionFactoryImplementor.class)
                .getEventListenerRegistry()
                .appendListeners(EventType.PRE_INSERT, event -> true);
        vetoing.runInTransaction(em -> em.persist(new AssignedJob(id)));
        assertEquals(0, database.rowsOf("assigned_job", id));
        assertEquals(0, database.commands(List.of(id)));
    }

    @Test
    void withoutATransactionPersistingASourceIsRefused() {
        try (EntityManager em = factory.createEntityManager()) {
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> em.persist(new AssignedJob(id)));
            assertTrue(e.getMessage().contains("transaction"), e.getMessage());
        }
    }

    private static void inTransaction(EntityManagerFactory unit, Consumer<EntityManager> work) {
        try (EntityManager em = unit.createEntityManager()) {
            em.getTransaction().begin();
            work.accept(em);
        }
    }

    private String document() throws SQLException {
        return database.database().value("SELECT request_json FROM sender_outbox WHERE operation_id = '" + id + "'");
    }

    @Test
    void anUpsertOfASourceIsWarnedOf() throws SQLException {
        try (CapturedLog log = CapturedLog.of(SourceRows.class.getName());
                StatelessSession session = factory.unwrap(SessionFactory.class).openStatelessSession()) {
            session.beginTransaction();
            session.upsert(new AssignedJob(id));
            session.getTransaction().commit();
            assertEquals(1, log.lines().size());
            assertTrue(log.lines().get(0).startsWith("WARN outbox.upsert entity=" + AssignedJob.class.getName()));
        }
        assertEquals(0, database.commands(List.of(id)));
    }
}
