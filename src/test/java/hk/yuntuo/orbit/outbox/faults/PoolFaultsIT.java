package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.CapturedLog;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that the pool does not have: the sender waits for them as long as the pool lets it, and then its options decide. */
class PoolFaultsIT extends SendingTest {
    private static final int SIZE = 2;
    private HikariDataSource pool;
    private EntityManagerFactory unit;

    @BeforeEach
    void aSmallPool() {
        use(database.pool("", SIZE));
    }

    private void use(HikariDataSource small) {
        pool = small;
        unit = database.unit(small, Map.of());
    }

    @Test
    void anExhaustedPoolEndsTheRunUnlessItHasARetryDelay() throws Exception {
        use(database.impatientPool(SIZE));
        List<String> ids = enqueue(3);
        List<Connection> taken = takeAll();
        assertInstanceOf(OutboxStorageException.class, start(sender(), QUICK).failure());

        try (CapturedLog log = CapturedLog.of("hk.yuntuo.orbit.outbox.internal.send.SendLoop")) {
            RunningSender run = start(sender(), PATIENT);
            until("the claim was not tried again", () -> count(log, "outbox.claim.failed") >= 3);
            assertEquals(0, count(OutboxState.SENDING));
            giveBack(taken);
            awaitState(OutboxState.ACCEPTED, 3);
            run.stopWell();
        }
        assertAllAcceptedWithOneTaskEach(ids);
    }

    @Test
    void aPoolExhaustedBeforeTheSettlementLosesNoReceipt() throws Exception {
        use(database.impatientPool(SIZE));
        List<String> ids = enqueue(1);
        List<Connection> taken = new ArrayList<>();
        simulator.onAccepted(submission -> {
            if (submission.number() == 1) {
                taken.addAll(takeAll());
            }
        });
        try (CapturedLog log = CapturedLog.of("hk.yuntuo.orbit.outbox.internal.send.SendLoop")) {
            RunningSender run = start(sender(), PATIENT);
            until("the settlement has not failed", () -> count(log, "outbox.settle.failed") == 1);
            assertEquals(OutboxState.SENDING, row(ids.get(0)).state());
            giveBack(taken);
            expireLeases();
            awaitState(OutboxState.ACCEPTED, 1);
            run.stopWell();
        }
        assertTrue(isDeduplicated(row(ids.get(0))));
        assertAllAcceptedWithOneTaskEach(ids);
    }

    @Test
    void anAdapterThatLeavesItsThreadInterruptedLosesNoReceiptThatWaitsForAConnection() throws Exception {
        enqueue(1);
        CompletableFuture<List<Connection>> taken = new CompletableFuture<>();
        StubPlatform interrupting = new StubPlatform(command -> {
            taken.complete(takeAll());
            Thread.currentThread().interrupt();
            return StubPlatform.receipt(command);
        });
        RunningSender run = start(
                sender(), interrupting, RunOptions.builder().concurrency(1).build());
        List<Connection> all = taken.get(60, TimeUnit.SECONDS);
        until("nobody waits for a connection", () -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
        giveBack(all);
        awaitState(OutboxState.ACCEPTED, 1);
        run.stopWell();
        assertEquals("1", database.value("SELECT send_count FROM sender_outbox"));
    }

    @Test
    void anEnqueueWithoutAConnectionIsAStorageErrorAndCanBeRepeated() throws Exception {
        use(database.impatientPool(SIZE));
        Outbox impatient = Requests.outbox(unit);
        String id = OperationId.next().value();
        List<Connection> taken = takeAll();
        OutboxStorageException e = assertThrows(OutboxStorageException.class, () -> enqueue(impatient, id));
        assertEquals(id, e.operationId().orElseThrow());
        giveBack(taken);
        assertEquals(EnqueueResult.INSERTED, enqueue(impatient, id));
    }

    private static EnqueueResult enqueue(Outbox impatient, String id) {
        return impatient.transactions().inTransaction(id, em -> impatient.enqueue(em, id, Requests.of("1")));
    }

    @Test
    void waitingForAConnectionDoesNotEatTheTimeToSend() throws Exception {
        enqueue(1);
        StubPlatform observed = StubPlatform.accepting();
        List<Connection> taken = takeAll();
        CompletableFuture<OutboxRecord> sent =
                CompletableFuture.supplyAsync(() -> sender().sendOnce(observed).orElseThrow());
        assertThrows(TimeoutException.class, () -> sent.get(7, TimeUnit.SECONDS));
        giveBack(taken);
        assertEquals(OutboxState.ACCEPTED, sent.get(30, TimeUnit.SECONDS).state());
        Duration timeout = observed.timeouts().get(0);
        assertTrue(timeout.compareTo(Duration.ofSeconds(5)) > 0, timeout.toString());
    }

    @Test
    void settlementsWaitForEachOtherOnASmallPool() throws Exception {
        enqueue(8);
        OutboxSender slow = sender(
                unit,
                (em, record, receipt) ->
                        em.createNativeQuery("SELECT SLEEP(1.2)", Integer.class).getSingleResult());
        RunningSender run = start(slow, QUICK);
        awaitState(OutboxState.ACCEPTED, 8);
        run.stopWell();
    }

    @Test
    void anInterruptWhileItWaitsForAConnectionEndsTheRunAndIsKept() throws Exception {
        AtomicBoolean flag = new AtomicBoolean();
        CompletableFuture<Void> end = new CompletableFuture<>();
        List<Connection> taken = takeAll();
        Thread thread = new Thread(() -> {
            try {
                sender().run(platform, QUICK);
                flag.set(Thread.currentThread().isInterrupted());
                end.complete(null);
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        });
        thread.start();
        until("nobody waits for a connection", () -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
        thread.interrupt();
        end.get(30, TimeUnit.SECONDS);
        assertTrue(flag.get());
        giveBack(taken);
    }

    @Override
    OutboxSender sender() {
        return sender(unit, null);
    }

    private List<Connection> takeAll() {
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < SIZE; i++) {
                taken.add(pool.getConnection());
            }
            return taken;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void giveBack(List<Connection> taken) throws SQLException {
        for (Connection connection : taken) {
            connection.close();
        }
    }

    private static long count(CapturedLog log, String event) {
        return log.lines().stream().filter(line -> line.contains(event)).count();
    }
}
