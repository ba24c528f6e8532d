package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.testing.RestartableServer;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A MySQL that is killed under everybody's hands and recovers on its data: what was committed is there and is sent, and no more. */
class KilledServerIT extends SendingTest {
    private RestartableServer server;
    /** Waits for a connection no longer than a quarter of a second. */
    private EntityManagerFactory impatient;

    @Override
    TestDatabase newDatabase(String prefix) throws SQLException {
        Optional<RestartableServer> own = RestartableServer.start();
        assumeTrue(own.isPresent(), "only a server process of this machine can be killed here");
        server = own.get();
        TestDatabase created = TestDatabase.create(server.createSchema(prefix));
        impatient = created.unit(created.impatientPool(4), Map.of());
        return created;
    }

    @Override
    @AfterAll
    void close() {
        super.close();
        if (server != null) {
            server.close();
        }
    }

    @Test
    void whatWasCommittedBeforeTheServerWasKilledIsSentOnceEach() throws Exception {
        Set<String> committed = ConcurrentHashMap.newKeySet();
        Map<String, RuntimeException> failed = new ConcurrentHashMap<>();
        CompletableFuture<Void> stop = new CompletableFuture<>();
        RunningSender run = start(sender(factory, SendingTest::link), PATIENT);
        List<CompletableFuture<Void>> reporters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            reporters.add(CompletableFuture.runAsync(() -> reportUntil(stop, committed, failed), KilledServerIT::run));
        }
        until("nothing is accepted", () -> committed.size() >= 50 && count(OutboxState.ACCEPTED) >= 20);

        server.kill();
        until("nobody has noticed", () -> !failed.isEmpty());
        assertADeadServerIsAStorageError();
        int before = committed.size();
        server.startAgain();
        until("nothing is committed after the restart", () -> committed.size() >= before + 20);
        stop.complete(null);
        for (CompletableFuture<Void> reporter : reporters) {
            reporter.get(120, TimeUnit.SECONDS);
        }
        run.assertGoingOn();
        assertAllAreSentOnceEach(committed, failed);
        run.stopWell();
    }

    /** Both are open, with all their rows written, when the server dies. */
    @Test
    void aConfirmationAndAReportThatWereOpenLeaveNothing() throws Exception {
        String id = enqueue(1).get(0);
        String open = OperationId.next().value();
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            outbox.enqueue(em, open, Requests.of("1"));
            em.persist(new BusinessJob(open, open));
            em.flush();
            OutboxSender killing = sender(factory, (session, record, receipt) -> {
                link(session, record, receipt);
                session.flush();
                server.kill();
                session.createNativeQuery("SELECT 1", Integer.class).getSingleResult();
            });
            assertThrows(AcceptanceException.class, () -> killing.sendOnce(platform));
            assertThrows(RuntimeException.class, () -> em.getTransaction().commit());
        }
        server.startAgain();

        assertTrue(outbox.resolve(open).isEmpty());
        assertEquals("1", database.value("SELECT COUNT(*) FROM business_job"));
        assertEquals(OutboxState.SENDING, row(id).state());
        assertNull(taskOfJob(id));
        expireLeases();
        assertTrue(isDeduplicated(
                sender(factory, SendingTest::link).sendOnce(platform).orElseThrow()));
        assertEquals(row(id).taskId(), taskOfJob(id));
        assertAllAcceptedWithOneTaskEach(List.of(id));
    }

    private void reportUntil(
            CompletableFuture<Void> stop, Set<String> committed, Map<String, RuntimeException> failed) {
        while (!stop.isDone()) {
            String id = OperationId.next().value();
            try {
                report(outbox, id);
                committed.add(id);
            } catch (RuntimeException e) {
                failed.put(id, e);
            }
        }
    }

    private static void report(Outbox outbox, String id) {
        outbox.transactions().inTransaction(id, em -> {
            outbox.enqueue(em, id, Requests.of("1"));
            em.persist(new BusinessJob(id, id));
            return null;
        });
    }

    private void assertADeadServerIsAStorageError() {
        assertInstanceOf(
                OutboxStorageException.class,
                start(sender(impatient, null), QUICK).failure());
        String id = OperationId.next().value();
        assertThrows(OutboxStorageException.class, () -> report(Requests.outbox(impatient), id));
    }

    /** A report without an answer to its COMMIT may be there; any other that failed is not. */
    private void assertAllAreSentOnceEach(Set<String> committed, Map<String, RuntimeException> failed)
            throws SQLException {
        List<String> stored = database.rows("SELECT operation_id FROM sender_outbox");
        assertEquals(stored.size(), Integer.parseInt(database.value("SELECT COUNT(*) FROM business_job")));
        assertTrue(stored.containsAll(committed));
        failed.forEach((id, failure) -> assertFalse(
                stored.contains(id) && !(failure instanceof CommitUnconfirmedException), () -> id + " " + failure));
        assertTrue(committed.size() + failed.size() >= stored.size());
        expireLeases();
        awaitState(OutboxState.ACCEPTED, stored.size());
        assertAllAcceptedWithOneTaskEach(stored);
    }

    private static void run(Runnable task) {
        new Thread(task, "reporter").start();
    }
}
