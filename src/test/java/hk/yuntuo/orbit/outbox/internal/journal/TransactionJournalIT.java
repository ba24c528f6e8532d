package hk.yuntuo.orbit.outbox.internal.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.support.StatementLog;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A journal lives exactly as long as its transaction. */
class TransactionJournalIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("journal");
        factory = database.unit();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void itEndsWithTheTransactionAndTheNextOneHasItsOwn() {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            TransactionJournal first = TransactionJournal.of(session(em));
            assertSame(first, TransactionJournal.of(session(em)));
            em.getTransaction().commit();
            assertNull(TransactionJournal.existing(session(em)));
            em.getTransaction().begin();
            assertTrue(first != TransactionJournal.of(session(em)));
            em.getTransaction().rollback();
            assertNull(TransactionJournal.existing(session(em)));
        }
    }

    @Test
    void sessionsThatShareATransactionShareItsJournal() {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            try (Session child =
                    em.unwrap(Session.class).sessionWithOptions().connection().openSession()) {
                assertSame(TransactionJournal.of(session(em)), TransactionJournal.of(session(child)));
            }
            em.getTransaction().rollback();
        }
    }

    @Test
    void anActionRunsOnceAndOnlyAfterACommit() {
        AtomicInteger runs = new AtomicInteger();
        Runnable action = runs::incrementAndGet;
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            TransactionJournal.of(session(em)).afterCommit(action);
            em.getTransaction().rollback();
            assertEquals(0, runs.get());
            em.getTransaction().begin();
            TransactionJournal.of(session(em)).afterCommit(action);
            TransactionJournal.of(session(em)).afterCommit(action);
            em.getTransaction().commit();
        }
        assertEquals(1, runs.get());
    }

    @Test
    void aTransactionThatDiedWithItsConnectionIsForgotten() throws SQLException {
        EntityManager dead = factory.createEntityManager();
        dead.getTransaction().begin();
        assertNotNull(TransactionJournal.of(session(dead)));
        database.update("KILL " + StatementLog.connectionId(dead));
        assertThrows(RuntimeException.class, () -> dead.getTransaction().rollback());
        search();
        assertNull(TransactionJournal.existing(session(dead)));
        dead.close();
    }

    @Test
    void aTransactionWhoseSessionWasClosedInTheMiddleIsForgotten() {
        StatelessSession closed = factory.unwrap(SessionFactory.class).openStatelessSession();
        closed.beginTransaction();
        TransactionJournal.of((SharedSessionContractImplementor) closed);
        closed.close();
        search();
        assertNull(TransactionJournal.existing((SharedSessionContractImplementor) closed));
    }

    private static void search() {
        try (EntityManager em = factory.createEntityManager()) {
            for (int i = 0; i < TransactionJournal.SEARCH_INTERVAL; i++) {
                em.getTransaction().begin();
                TransactionJournal.of(session(em));
                em.getTransaction().rollback();
            }
        }
    }

    private static SharedSessionContractImplementor session(EntityManager em) {
        return em.unwrap(SharedSessionContractImplementor.class);
    }
}
