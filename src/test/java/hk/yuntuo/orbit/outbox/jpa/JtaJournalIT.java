package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.DuplicateOperationException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Disturbance;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import io.agroal.api.AgroalDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The journals of JTA transactions: each lives exactly as long as its transaction, however that ends. */
class JtaJournalIT {
    private static final TransactionManager MANAGER = Narayana.manager();
    private static JtaSources jta;
    private static EntityManagerFactory unit;

    private final String id = OperationId.next().value();
    private final String second = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        jta = JtaSources.open("jta_journal");
        unit = jta.unit();
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
    void anEntityManagerServesSeveralTransactionsAndEachHasItsJournal() throws Exception {
        try (EntityManager em = unit.createEntityManager()) {
            JtaSources.begin(em);
            em.persist(new AssignedJob(id));
            TransactionJournal first = journal(em);
            MANAGER.commit();
            assertNull(journal(em));

            JtaSources.begin(em);
            em.persist(new AssignedJob(second));
            assertNotNull(journal(em));
            assertTrue(first != journal(em));
            MANAGER.rollback();
            assertNull(journal(em));

            JtaSources.begin(em);
            em.persist(new AssignedJob(second));
            MANAGER.commit();
        }
        jta.assertStored(id, 1);
        jta.assertStored(second, 1);
    }

    @Test
    void severalSessionsOfOneTransactionKeepTheirOwnJournals() throws Exception {
        MANAGER.begin();
        try (EntityManager one = unit.createEntityManager();
                EntityManager other = unit.createEntityManager()) {
            one.persist(new AssignedJob(id));
            other.persist(new AssignedJob(second));
            other.remove(other.find(AssignedJob.class, second));
            assertTrue(journal(one) != journal(other));
            MANAGER.commit();
        }
        jta.assertStored(id, 1);
        jta.assertStored(second, 0);
    }

    @Test
    void actionsRunAfterACommitAndAfterNoRollback() throws Exception {
        assertEquals(0, actionsAfter(MANAGER::rollback));
        assertEquals(0, actionsAfter(() -> {
            MANAGER.setRollbackOnly();
            assertThrows(RollbackException.class, MANAGER::commit);
        }));
        assertEquals(1, actionsAfter(MANAGER::commit));
    }

    @Test
    void aLocalCommitWithoutAnAnswerIsNotTakenForOne() throws Exception {
        assertEquals(0, actionsAfter(() -> {
            jta.proxy().next(MySqlProxy.COMMIT, Strike.SWALLOW_REPLY);
            assertThrows(RollbackException.class, MANAGER::commit);
        }));
        jta.assertStored(id, 1);
        try (EntityManager em = unit.createEntityManager()) {
            JtaSources.begin(em);
            assertThrows(DuplicateOperationException.class, () -> em.persist(new AssignedJob(id)));
            MANAGER.rollback();
        }
    }

    /** Narayana tells of a commit here. A hint may be idle, so nothing more comes of it than one look of a sender. */
    @Test
    void anXaCommitWithoutAnAnswerIsTakenForOneByTheHintOnly() throws Exception {
        AgroalDataSource xaPool = jta.poolOf(Enlistment.XA);
        EntityManagerFactory xaUnit = jta.unit(xaPool, Map.of());
        assertEquals(1, actionsAfter(xaUnit, () -> {
            jta.proxy().next(MySqlProxy.containing("XA COMMIT"), Strike.CUT_BEFORE);
            assertThrows(HeuristicMixedException.class, MANAGER::commit);
        }));
        jta.assertStored(id, 0);
        assertEquals(0, xaPool.getMetrics().activeCount());
    }

    @Test
    void aRollbackByTheTransactionManagersOwnThreadLeavesNoJournal() throws Exception {
        MANAGER.setTransactionTimeout(3);
        MANAGER.begin();
        CountDownLatch over = Narayana.watchEnd(); // Registered first, told last.
        EntityManager em = unit.createEntityManager();
        em.persist(new AssignedJob(id));
        assertNotNull(journal(em));
        SharedSessionContractImplementor session = em.unwrap(SharedSessionContractImplementor.class);
        Narayana.await(over);
        assertNull(TransactionJournal.existing(session));
        assertThrows(RollbackException.class, MANAGER::commit);
        assertThrows(RuntimeException.class, em::close); // Hibernate tells of it now, and closes it the second time.
        em.close();
        jta.assertStored(id, 0);
    }

    /** Hibernate takes no part in the session's next transaction: its rows would be lost, and their commands stay. */
    @Test
    void whatFailsAfterACommitLeavesNoJournalAndNoCommandsWithoutRows() throws Exception {
        AtomicInteger actions = new AtomicInteger();
        try (EntityManager em = unit.createEntityManager()) {
            JtaSources.begin(em);
            em.persist(new AssignedJob(id));
            of(em).afterCommit(actions::incrementAndGet);
            Disturbance.afterCompletion(em);
            MANAGER.commit();
            assertEquals(1, actions.get());
            assertNull(journal(em));

            JtaSources.begin(em);
            em.persist(new AssignedJob(second));
            assertThrows(RollbackException.class, MANAGER::commit);
            assertNull(journal(em));
        }
        jta.assertStored(id, 1);
        jta.assertStored(second, 0);
        MANAGER.begin();
        try (EntityManager em = unit.createEntityManager()) {
            em.persist(new AssignedJob(second));
            MANAGER.commit();
        }
        jta.assertStored(second, 1);
    }

    /** With Hibernate's own bootstrap a session that is closed takes no part in the end. */
    @Test
    void aSessionThatIsGoneBeforeTheCommitLeavesNoCommandsWithoutRows() throws Exception {
        try (SessionFactory factory = jta.hibernatesOwn()) {
            MANAGER.begin();
            try (Session session = factory.openSession()) {
                session.persist(new AssignedJob(id));
            }
            assertThrows(RollbackException.class, MANAGER::commit);
            jta.assertStored(id, 0);

            Outbox outbox = Requests.outbox(factory);
            MANAGER.begin();
            try (Session session = factory.openSession()) {
                outbox.enqueue(session, id, Requests.of("1"));
            }
            MANAGER.commit();
            assertEquals(1, jta.database().commands(List.of(id)));
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private int actionsAfter(Step end) throws Exception {
        return actionsAfter(unit, end);
    }

    /** A transaction that persists a source and ends somehow: how often did an action run that was to follow a commit? */
    private int actionsAfter(EntityManagerFactory factory, Step end) throws Exception {
        AtomicInteger actions = new AtomicInteger();
        try (EntityManager em = factory.createEntityManager()) {
            JtaSources.begin(em);
            em.persist(new AssignedJob(id));
            of(em).afterCommit(actions::incrementAndGet);
            end.run();
            assertNull(journal(em));
        }
        return actions.get();
    }

    private static TransactionJournal of(EntityManager em) {
        return TransactionJournal.of(em.unwrap(SharedSessionContractImplementor.class));
    }

    private static @Nullable TransactionJournal journal(EntityManager em) {
        return TransactionJournal.existing(em.unwrap(SharedSessionContractImplementor.class));
    }
}
