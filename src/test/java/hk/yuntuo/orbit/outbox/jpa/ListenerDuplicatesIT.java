package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.IdentityJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.JoinedReport;
import hk.yuntuo.orbit.outbox.model.DuplicateOperationException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.hibernate.ReplicationMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Entities of an operation that has its command already, and of one that the same transaction has enqueued itself. */
class ListenerDuplicatesIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("duplicates");
        factory = database.unit(Map.of());
        outbox = Requests.outbox(factory);
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
    void aDuplicateCarriesTheStoredCommandAndSendsNoRow() {
        persist(new AssignedJob(id));
        OutboxRecord stored = outbox.status(id).orElseThrow();
        inTransaction(em -> {
            DuplicateOperationException e =
                    assertThrows(DuplicateOperationException.class, () -> em.persist(new AssignedJob(id)));
            assertEquals(stored, e.stored().orElseThrow());
            assertEquals(OutboxState.PENDING, e.stored().orElseThrow().state());
            assertEquals(id, e.operationId().orElseThrow());
            assertTrue(e.getMessage().contains(AssignedJob.class.getName()), e.getMessage());
            assertTrue(em.getTransaction().getRollbackOnly());
            em.getTransaction().rollback();
        });
        assertEquals(stored, outbox.status(id).orElseThrow());
    }

    @Test
    void aDuplicateWithOtherContentIsAConflict() {
        persist(new AssignedJob(id));
        AssignedJob other = new AssignedJob(id);
        other.note("other");
        assertThrows(OutboxConflictException.class, () -> persist(other));
    }

    @Test
    void aDuplicateOfAStatelessSessionMarksItsTransactionToo() throws SQLException {
        persist(new AssignedJob(id));
        String second = OperationId.next().value();
        try (StatelessSession session = factory.unwrap(SessionFactory.class).openStatelessSession()) {
            session.beginTransaction();
            session.insert(new AssignedJob(second));
            assertThrows(DuplicateOperationException.class, () -> session.insert(new AssignedJob(id)));
            assertTrue(session.getTransaction().getRollbackOnly());
            session.getTransaction().commit();
        }
        assertEquals(0, database.commands(List.of(second)));
        assertEquals(0, database.rowsOf("assigned_job", second));
    }

    @Test
    void anEntityDoesNotTakeOverACommandWithOtherContent() {
        inTransaction(em -> {
            outbox.enqueue(em, id, Requests.of("{\"other\":true}"));
            assertThrows(OutboxConflictException.class, () -> em.persist(new AssignedJob(id)));
            em.getTransaction().rollback();
        });
    }

    @Test
    void anEntityDoesNotTakeOverACommandOfAnEarlierTransaction() {
        AssignedJob job = new AssignedJob(id);
        persist(job);
        inTransaction(em -> {
            assertEquals(EnqueueResult.DUPLICATE, outbox.enqueue(em, id, job.outboxRequest()));
            assertThrows(DuplicateOperationException.class, () -> em.persist(new AssignedJob(id)));
            em.getTransaction().rollback();
        });
    }

    @Test
    void twoEntitiesCannotTakeOverTheSameCommand() {
        inTransaction(em -> {
            outbox.enqueue(em, id, new IdentityJob(id).outboxRequest());
            em.persist(new IdentityJob(id));
            assertThrows(DuplicateOperationException.class, () -> em.persist(new IdentityJob(id)));
            em.getTransaction().rollback();
        });
    }

    @Test
    @SuppressWarnings("deprecation")
    void aReplicatedRowDoesNotPassOnTheCommandOfAnotherEntity() throws SQLException {
        assertThrows(
                RuntimeException.class,
                () -> factory.runInTransaction(em -> {
                    em.persist(new AssignedJob(id));
                    em.unwrap(Session.class).replicate(new JoinedReport(id, 7), ReplicationMode.EXCEPTION);
                }));
        assertEquals(0, database.rowsOf("assigned_job", id));
        assertEquals(0, database.commands(List.of(id)));
    }

    @Test
    void aCallThatFindsTheCommandOfAForgottenEntityKeepsIt() throws SQLException {
        AssignedJob job = new AssignedJob(id);
        outbox.transactions().inTransaction(em -> {
            em.persist(job);
            em.clear();
            return outbox.enqueue(em, id, job.outboxRequest());
        });
        assertEquals(1, database.commands(List.of(id)));
    }

    @Test
    void aCommandThatWasEnqueuedByACallStaysWhenItsEntityIsRemoved() throws SQLException {
        AssignedJob job = new AssignedJob(id);
        outbox.transactions().inTransaction(em -> {
            outbox.enqueue(em, id, job.outboxRequest());
            em.persist(job);
            em.remove(job);
            return null;
        });
        assertEquals(1, database.commands(List.of(id)));
        assertEquals(0, database.rowsOf("assigned_job", id));
    }

    @Test
    void oneEntityManagerServesManyTransactions() throws SQLException {
        String second = OperationId.next().value();
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            em.persist(new AssignedJob(id));
            em.getTransaction().rollback();
            em.getTransaction().begin();
            em.persist(new AssignedJob(second));
            em.getTransaction().commit();
            assertNull(TransactionJournal.existing(em.unwrap(SharedSessionContractImplementor.class)));
            em.clear();
            em.getTransaction().begin();
            assertThrows(DuplicateOperationException.class, () -> em.persist(new AssignedJob(second)));
            em.getTransaction().rollback();
        }
        assertEquals(1, database.commands(List.of(id, second)));
        assertFalse(outbox.status(id).isPresent());
    }

    private static void inTransaction(Consumer<EntityManager> work) {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            work.accept(em);
        }
    }
}
