package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.DuplicateOperationException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An acceptance that persists the next source: its command commits with the acceptance, or neither does. */
class FollowUpIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final String next = OperationId.next().value();
    private String first;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("followup");
        factory = database.unit(Map.of());
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void oneDueRow() throws SQLException {
        database.database().update("DELETE FROM sender_outbox");
        first = OutboxRows.enqueue(outbox, 1).get(0);
    }

    @Test
    void theNextCommandCommitsWithTheAcceptance() throws SQLException {
        sender((em, record, receipt) -> em.persist(new AssignedJob(next))).sendOnce(StubPlatform.accepting());
        assertEquals(OutboxState.ACCEPTED, outbox.status(first).orElseThrow().state());
        assertEquals(OutboxState.PENDING, outbox.status(next).orElseThrow().state());
        assertEquals(
                "1",
                database.database().value("SELECT COUNT(*) FROM assigned_job WHERE operation_id = '" + next + "'"));
    }

    @Test
    void aCallbackThatFailsAfterwardsLeavesNeither() throws SQLException {
        OutboxSender sender = sender((em, record, receipt) -> {
            em.persist(new AssignedJob(next));
            em.flush();
            throw new IllegalStateException("own");
        });
        assertThrows(AcceptanceException.class, () -> sender.sendOnce(StubPlatform.accepting()));
        assertEquals(OutboxState.SENDING, outbox.status(first).orElseThrow().state());
        assertEquals(0, database.commands(List.of(next)));
    }

    @Test
    void aRemovedSourceIsWithdrawnThereToo() throws SQLException {
        sender((em, record, receipt) -> {
                    AssignedJob job = new AssignedJob(next);
                    em.persist(job);
                    em.remove(job);
                })
                .sendOnce(StubPlatform.accepting());
        assertEquals(OutboxState.ACCEPTED, outbox.status(first).orElseThrow().state());
        assertEquals(0, database.commands(List.of(next)));
    }

    @Test
    void theCommitOfAPersistedSourceWakesAnIdleSender() throws Exception {
        CountDownLatch idle = new CountDownLatch(1);
        CountDownLatch woken = new CountDownLatch(1);
        OutboxSender sender = sender((em, record, receipt) -> {
            (record.operationId().equals(first) ? idle : woken).countDown();
        });
        CompletableFuture<Void> running = CompletableFuture.runAsync(() -> sender.run(
                StubPlatform.accepting(),
                RunOptions.builder().pollInterval(Duration.ofSeconds(10)).build()));
        assertTrue(idle.await(5, TimeUnit.SECONDS));
        long end = System.nanoTime() + 5_000_000_000L;
        while (outbox.status(first).orElseThrow().state() != OutboxState.ACCEPTED) {
            assertTrue(System.nanoTime() < end);
        }
        factory.runInTransaction(em -> em.persist(new AssignedJob(next)));
        assertTrue(woken.await(5, TimeUnit.SECONDS), "the hint did not arrive");
        sender.stop();
        running.get(5, TimeUnit.SECONDS);
    }

    @Test
    void aDuplicateThereIsACallbackFailure() {
        OutboxSender sender = sender((em, record, receipt) -> em.persist(
                new AssignedJob(record.operationId()).requesting(() -> Requests.of("{\"n\":0}"), AssignedJob.class)));
        AcceptanceException e =
                assertThrows(AcceptanceException.class, () -> sender.sendOnce(StubPlatform.accepting()));
        assertInstanceOf(DuplicateOperationException.class, e.getCause());
        assertEquals(OutboxState.SENDING, outbox.status(first).orElseThrow().state());
    }

    private static OutboxSender sender(OnAccepted onAccepted) {
        return OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted(onAccepted)
                .build();
    }
}
