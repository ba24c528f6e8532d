package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Disturbance;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.RollbackException;
import jakarta.transaction.Synchronization;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What an application does within its commit, after Hibernate's own flush. */
class WithinTheCommitIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("within");
        factory = database.unit(
                List.of(BusinessJob.class),
                Map.of(
                        OutboxUnit.NAMESPACE_ID,
                        Requests.NAMESPACE,
                        OutboxUnit.QUEUE_ID,
                        Requests.QUEUE,
                        OutboxUnit.LOCK_ORDER_GUARD,
                        "OFF"));
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void aCommandMayBeEnqueuedThere() throws SQLException {
        commitWith(em -> outbox.enqueue(em, id, Requests.of("{}")));
        assertEquals(1, database.commands(List.of(id)));
    }

    @Test
    void aSourceThatIsPersistedAndFlushedThereIsStoredWithItsCommand() throws SQLException {
        commitWith(em -> {
            em.persist(new AssignedJob(id));
            em.flush();
        });
        assertEquals(1, database.commands(List.of(id)));
        assertEquals(1, database.rowsOf("assigned_job", id));
    }

    @Test
    void aSourceThatNoFlushFollowsIsStoredNeitherWay() throws SQLException {
        commitWith(em -> em.persist(new AssignedJob(id)));
        assertEquals(0, database.commands(List.of(id)));
        assertEquals(0, database.rowsOf("assigned_job", id));
    }

    @Test
    void aCommandIsNotWithdrawnBeforeAFlushThereHasStoredItsRow() throws SQLException {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            em.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
            em.persist(new AssignedJob(id));
            within(em, EntityManager::flush);
            em.getTransaction().commit();
        }
        assertEquals(1, database.commands(List.of(id)));
        assertEquals(1, database.rowsOf("assigned_job", id));
    }

    @Test
    void aMarkForRollbackThatIsSetThereIsNotIgnored() throws SQLException {
        try (StatementLog log = StatementLog.open(database.database());
                EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            em.persist(new AssignedJob(id));
            em.clear();
            within(em, marking -> marking.getTransaction().setRollbackOnly());
            assertThrows(RollbackException.class, () -> em.getTransaction().commit());
            assertEquals(1, log.countContaining("INSERT INTO sender_outbox"));
            assertEquals(0, log.countContaining("DELETE FROM sender_outbox"));
        }
        assertEquals(0, database.commands(List.of(id)));
    }

    @Test
    void anErrorThatIsSwallowedThereCannotCommitTheRest() throws SQLException {
        String wrong = OperationId.next().value();
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            em.persist(new BusinessJob(id, id));
            within(em, other -> {
                AssignedJob unserved = new AssignedJob(wrong)
                        .requesting(
                                () -> Requests.builder("{}").queueId("unserved").build(), AssignedJob.class);
                assertThrows(IllegalStateException.class, () -> other.persist(unserved));
            });
            assertThrows(RollbackException.class, () -> em.getTransaction().commit());
        }
        assertEquals(0, database.rowsOf("business_job", id));
    }

    @Test
    void whatFailsAfterTheCommitLeavesNothingForTheNextTransaction() throws SQLException {
        String next = OperationId.next().value();
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            em.persist(new AssignedJob(id));
            Disturbance.afterCompletion(em);
            assertThrows(RuntimeException.class, () -> em.getTransaction().commit());
            em.getTransaction().begin();
            assertNull(TransactionJournal.existing(em.unwrap(SharedSessionContractImplementor.class)));
            em.persist(new AssignedJob(next));
            em.getTransaction().commit();
        }
        assertEquals(2, database.commands(List.of(id, next)));
    }

    private static void commitWith(Consumer<EntityManager> work) {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            within(em, work);
            within(em, other -> {});
            em.getTransaction().commit();
        }
    }

    private static void within(EntityManager em, Consumer<EntityManager> work) {
        em.unwrap(SharedSessionContractImplementor.class)
                .getTransactionCoordinator()
                .getLocalSynchronizations()
                .registerSynchronization(new Synchronization() {
                    @Override
                    public void beforeCompletion() {
                        work.accept(em);
                    }

                    @Override
                    public void afterCompletion(int status) {}
                });
    }
}
