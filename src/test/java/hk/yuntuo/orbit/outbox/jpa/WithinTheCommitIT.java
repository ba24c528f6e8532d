package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Disturbance;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.Synchronization;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
        factory = database.unit(Map.of());
        outbox = Outbox.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
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
            em.unwrap(org.hibernate.Session.class).setHibernateFlushMode(org.hibernate.FlushMode.MANUAL);
            em.persist(new AssignedJob(id));
            within(em, EntityManager::flush);
            em.getTransaction().commit();
        }
        assertEquals(1, database.commands(List.of(id)));
        assertEquals(1, database.rowsOf("assigned_job", id));
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
