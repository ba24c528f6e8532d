package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.DuplicateOperationException;
import hk.yuntuo.orbit.outbox.model.LockOrderException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Persisted sources in JTA transactions that the application begins and ends. */
class JtaListenerIT {
    private static final TransactionManager MANAGER = Narayana.manager();
    private static JtaSources jta;
    private static EntityManagerFactory unit;
    private static Outbox outbox;

    private final String id = OperationId.next().value();
    private final String second = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        jta = JtaSources.open("jta_listener");
        unit = jta.unit();
        outbox = Requests.outbox(unit);
    }

    @AfterEach
    void everythingWasGivenBack() throws SystemException {
        jta.assertAtRest();
    }

    @AfterAll
    static void close() {
        jta.close();
    }

    @Test
    void aSessionThatIsClosedBeforeTheCommitIsFlushedByIt() throws Exception {
        MANAGER.begin();
        try (EntityManager em = unit.createEntityManager()) {
            em.persist(new AssignedJob(id));
        }
        MANAGER.commit();
        jta.assertStored(id, 1);
    }

    @Test
    void aStatelessSessionEnqueuesToo() throws Exception {
        MANAGER.begin();
        try (StatelessSession session = unit.unwrap(SessionFactory.class).openStatelessSession()) {
            session.insert(new AssignedJob(id));
            MANAGER.commit();
        }
        jta.assertStored(id, 1);
    }

    @Test
    void aDuplicateMarksTheTransaction() throws Exception {
        persisted(id);
        MANAGER.begin();
        try (EntityManager em = unit.createEntityManager()) {
            em.persist(new BusinessJob(second, second));
            assertThrows(DuplicateOperationException.class, () -> em.persist(new AssignedJob(id)));
            assertThrows(RollbackException.class, MANAGER::commit);
        }
        jta.assertStored(id, 1);
        assertEquals(0, jta.database().rowsOf("business_job", second));
    }

    @Test
    void theGuardSeesBusinessRowsThatWereWrittenBefore() throws Exception {
        EntityManagerFactory guarded = jta.unit(jta.pool(), Map.of(OutboxUnit.LOCK_ORDER_GUARD, "FAIL"));
        Outbox guardedOutbox = Requests.outbox(guarded);
        MANAGER.begin();
        try (EntityManager em = guarded.createEntityManager()) {
            guardedOutbox.enqueue(em, id, Requests.of("1"));
            em.persist(new BusinessJob(id, id));
            em.flush();
            assertThrows(LockOrderException.class, () -> guardedOutbox.enqueue(em, second, Requests.of("1")));
            MANAGER.commit();
            JtaSources.begin(em);
            guardedOutbox.enqueue(em, second, Requests.of("1"));
            MANAGER.commit();
        }
        assertEquals(2, jta.database().commands(List.of(id, second)));
    }

    @Test
    void aCommandMayBeEnqueuedWithinTheCommit() throws Exception {
        commitWith(em -> outbox.enqueue(em, id, Requests.of("1")));
        assertEquals(1, jta.database().commands(List.of(id)));
    }

    @Test
    void aSourceThatIsPersistedAndFlushedWithinTheCommitIsStored() throws Exception {
        commitWith(em -> {
            em.persist(new AssignedJob(id));
            em.flush();
        });
        jta.assertStored(id, 1);
    }

    @Test
    void aSourceThatNoFlushFollowsWithinTheCommitIsRefusedWithIt() throws Exception {
        assertThrows(RollbackException.class, () -> commitWith(em -> em.persist(new AssignedJob(id))));
        jta.assertStored(id, 0);
    }

    private static void persisted(String operationId) throws Exception {
        MANAGER.begin();
        try (EntityManager em = unit.createEntityManager()) {
            em.persist(new AssignedJob(operationId));
            MANAGER.commit();
        }
    }

    private static void commitWith(Consumer<EntityManager> work) throws Exception {
        try (EntityManager em = unit.createEntityManager()) {
            JtaSources.begin(em);
            MANAGER.getTransaction().registerSynchronization(Narayana.beforeCompletion(() -> work.accept(em)));
            MANAGER.commit();
        }
    }
}
