package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.ListenedNote;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.IdentityJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TableIdJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.UuidJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Persisting where the listener cannot enqueue fails loudly: outside a transaction, in another one than the INSERT, without the interface. */
class OutOfTransactionIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory unit;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("extended");
        for (String table : HalfJobs.TABLES) {
            database.database().update("CREATE TABLE " + table);
        }
        unit = database.unit(List.of(ListenedNote.class), Queues.properties(Requests.NAMESPACE, Requests.QUEUE));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    static Stream<Function<String, Object>> sources() {
        return Stream.of(AssignedJob::new, UuidJob::new, TableIdJob::new, IdentityJob::new);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void aPersistOutsideATransactionIsRefusedAndLeavesNothingToFlush(Function<String, Object> source)
            throws SQLException {
        String id = OperationId.next().value();
        Object job = source.apply(id);
        try (EntityManager em = unit.createEntityManager()) {
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> em.persist(job));
            assertTrue(e.getMessage().startsWith("No transaction is active"), e::getMessage);
            assertFalse(em.contains(job));
            em.getTransaction().begin();
            em.getTransaction().commit();
        }
        assertNothingStored(id);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void aMergeOutsideATransactionIsRefusedAndLeavesNothingToFlush(Function<String, Object> source)
            throws SQLException {
        String id = OperationId.next().value();
        try (EntityManager em = unit.createEntityManager()) {
            assertThrows(IllegalStateException.class, () -> em.merge(source.apply(id)));
            em.getTransaction().begin();
            em.getTransaction().commit();
        }
        assertNothingStored(id);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void aStatelessInsertOutsideATransactionIsRefused(Function<String, Object> source) throws SQLException {
        String id = OperationId.next().value();
        try (StatelessSession session = unit.unwrap(SessionFactory.class).openStatelessSession()) {
            assertThrows(IllegalStateException.class, () -> session.insert(source.apply(id)));
            session.beginTransaction();
            session.getTransaction().commit();
        }
        assertNothingStored(id);
    }

    @Test
    void aSourceThatIsFlushedByAnotherTransactionThanItsPersistIsRefused() throws SQLException {
        String id = OperationId.next().value();
        try (EntityManager em = unit.createEntityManager()) {
            em.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
            em.getTransaction().begin();
            em.persist(new AssignedJob(id));
            em.getTransaction().commit();

            em.getTransaction().begin();
            assertRefused(assertThrows(RuntimeException.class, em::flush));
            assertTrue(em.getTransaction().getRollbackOnly());
            em.getTransaction().commit();
        }
        assertNothingStored(id);
    }

    @Test
    void aSourceWhoseTransactionWasRolledBackIsNotStoredByTheNextUnlessItIsPersistedAgain() throws SQLException {
        AssignedJob job = new AssignedJob(OperationId.next().value());
        try (EntityManager em = unit.createEntityManager()) {
            em.getTransaction().begin();
            em.persist(job);
            em.getTransaction().rollback();
            em.getTransaction().begin();
            em.getTransaction().commit();
            assertNothingStored(job.outboxOperationId());

            em.getTransaction().begin();
            em.persist(job);
            em.getTransaction().commit();
        }
        assertEquals(1, database.rowsOf("assigned_job", job.outboxOperationId()));
        assertEquals(1, database.commands(List.of(job.outboxOperationId())));
    }

    @Test
    void aPersistThatFailsLeavesNoSessionAtHandForTheNextCallOfItsThread() {
        try (EntityManager em = unit.createEntityManager()) {
            assertThrows(
                    IllegalStateException.class,
                    () -> em.persist(new AssignedJob(OperationId.next().value())));
            assertNull(SessionAtHand.current());
        }
        unit.runInTransaction(
                em -> em.persist(new AssignedJob(OperationId.next().value())));
        assertNull(SessionAtHand.current());
    }

    private static void assertRefused(Exception thrown) {
        String message = String.valueOf(thrown.getMessage());
        assertTrue(thrown instanceof IllegalStateException, thrown::toString);
        assertTrue(message.contains("The row of " + AssignedJob.class.getName()), message);
        assertTrue(message.contains("in another transaction than its INSERT"), message);
    }

    @Test
    void aListenerWithoutTheInterfaceRefusesThePersistAndSaysSo() throws SQLException {
        try (EntityManager em = unit.createEntityManager()) {
            em.getTransaction().begin();
            IllegalStateException e =
                    assertThrows(IllegalStateException.class, () -> em.persist(new ListenedNote("persisted")));
            assertSaysSo(e);
            assertTrue(em.getTransaction().getRollbackOnly());
            em.getTransaction().commit();
        }
        assertEquals("0", database.database().value("SELECT COUNT(*) FROM listened_note WHERE id = 'persisted'"));
    }

    @Test
    void aListenerWithoutTheInterfaceRefusesTheMergeAndSaysSo() {
        assertSaysSo(assertThrows(
                IllegalStateException.class, () -> unit.runInTransaction(em -> em.merge(new ListenedNote("merged")))));
    }

    @Test
    void aListenerWithoutTheInterfaceRefusesTheStatelessInsertAndSaysSo() throws SQLException {
        try (StatelessSession session = unit.unwrap(SessionFactory.class).openStatelessSession()) {
            session.beginTransaction();
            assertSaysSo(assertThrows(IllegalStateException.class, () -> session.insert(new ListenedNote("inserted"))));
            session.getTransaction().rollback();
        }
        assertEquals("0", database.database().value("SELECT COUNT(*) FROM listened_note WHERE id = 'inserted'"));
    }

    private static void assertSaysSo(IllegalStateException e) {
        assertTrue(e.getMessage().contains(ListenedNote.class.getName()), e::getMessage);
        assertTrue(e.getMessage().contains("is no OutboxSource: implement it"), e::getMessage);
    }

    private static void assertNothingStored(String id) throws SQLException {
        for (String table : List.of("assigned_job", "uuid_job", "table_id_job", "identity_job", "sender_outbox")) {
            assertEquals(0, database.rowsOf(table, id), table);
        }
    }
}
