package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The life of a running sender: work and idleness. Its failures and its end are in the package {@code faults}. */
class RunIT {
    private static final RunOptions QUICK =
            RunOptions.builder().pollInterval(Duration.ofMillis(20)).build();
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;
    private OutboxSender sender;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("run");
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void noRows() throws SQLException {
        sender = sender(null);
        database.update("DELETE FROM sender_outbox");
    }

    @AfterEach
    void stop() {
        sender.stop();
    }

    @Test
    void everythingDueIsSentOnceAndTheStopReturns() throws Exception {
        OutboxRows.enqueue(outbox, 200);
        StubPlatform platform = StubPlatform.accepting();
        CompletableFuture<Void> run = start(sender, platform, QUICK);
        awaitState(OutboxState.ACCEPTED, 200);
        sender.stop();
        run.get(5, TimeUnit.SECONDS);

        assertEquals(200, platform.keys().size());
        assertEquals(200, new HashSet<>(platform.keys()).size());
        assertEquals("200", database.value("SELECT SUM(send_count) FROM sender_outbox"));
    }

    @Test
    void severalSendersShareAQueueAndEachEpochIsOneSend() throws Exception {
        OutboxRows.enqueue(outbox, 300);
        StubPlatform platform = StubPlatform.accepting();
        List<OutboxSender> senders = List.of(sender(null), sender(null), sender(null), sender(null));
        List<CompletableFuture<Void>> runs =
                senders.stream().map(s -> start(s, platform, QUICK)).toList();
        awaitState(OutboxState.ACCEPTED, 300);
        senders.forEach(OutboxSender::stop);
        for (CompletableFuture<Void> run : runs) {
            run.get(5, TimeUnit.SECONDS);
        }
        assertEquals(300, platform.keys().size());
        assertEquals(
                "300|1|1", database.value("SELECT COUNT(*), MAX(send_count), MAX(lease_epoch) FROM sender_outbox"));
    }

    @Test
    void noMoreAreInFlightThanTheConcurrencyAllows() throws Exception {
        OutboxRows.enqueue(outbox, 60);
        Semaphore inFlight = new Semaphore(7);
        AtomicInteger above = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(7);
        TaskPlatform counting = new StubPlatform(command -> {
            if (!inFlight.tryAcquire()) {
                above.incrementAndGet();
            }
            most.accumulateAndGet(7 - inFlight.availablePermits(), Math::max);
            full.countDown();
            await(full);
            inFlight.release();
            return StubPlatform.receipt(command);
        });
        start(sender, counting, RunOptions.builder().concurrency(7).build());
        awaitState(OutboxState.ACCEPTED, 60);
        assertEquals(0, above.get());
        assertEquals(7, most.get());
    }

    @Test
    void noMoreRowsAreClaimedThanCanBeSent() throws Exception {
        OutboxRows.enqueue(outbox, 10);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(3);
        start(
                sender,
                new StubPlatform(command -> {
                    arrived.countDown();
                    await(release);
                    return StubPlatform.receipt(command);
                }),
                RunOptions.builder()
                        .concurrency(3)
                        .pollInterval(Duration.ofMillis(10))
                        .build());
        await(arrived);
        assertEquals("3", database.value("SELECT COUNT(*) FROM sender_outbox WHERE state = 'SENDING'"));
        release.countDown();
        awaitState(OutboxState.ACCEPTED, 10);
    }

    @Test
    void aCommitInThisProcessWakesAnIdleSender() throws Exception {
        start(
                sender,
                StubPlatform.accepting(),
                RunOptions.builder().pollInterval(Duration.ofSeconds(10)).build());
        for (int i = 0; i < 5; i++) {
            long begun = System.nanoTime();
            OutboxRows.enqueue(outbox, 1);
            awaitState(OutboxState.ACCEPTED, i + 1);
            assertTrue(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(3), "the hint did not arrive");
        }
    }

    @Test
    void anIdleSenderLooksOncePerPollInterval() throws Exception {
        try (StatementLog log = StatementLog.open(database)) {
            start(
                    sender,
                    StubPlatform.accepting(),
                    RunOptions.builder().pollInterval(Duration.ofMillis(200)).build());
            new CompletableFuture<Void>()
                    .orTimeout(1, TimeUnit.SECONDS)
                    .handle((v, e) -> v)
                    .get();
            sender.stop();
            int looks = log.countContaining("SKIP LOCKED");
            assertTrue(looks >= 3 && looks <= 7, looks + " looks in a second");
        }
    }

    @Test
    void aLostLeaseDoesNotEndTheRun() throws Exception {
        OutboxRows.enqueue(outbox, 1);
        AtomicInteger sends = new AtomicInteger();
        CompletableFuture<Void> run = start(
                sender,
                new StubPlatform(command -> {
                    if (sends.incrementAndGet() == 1) {
                        overtake();
                    }
                    return StubPlatform.receipt(command);
                }),
                QUICK);
        awaitState(OutboxState.ACCEPTED, 1);
        OutboxRows.enqueue(outbox, 1);
        awaitState(OutboxState.ACCEPTED, 2);
        sender.stop();
        run.get(5, TimeUnit.SECONDS);
    }

    private static void overtake() {
        try {
            database.update("UPDATE sender_outbox SET lease_epoch = lease_epoch + 1, due_at = UTC_TIMESTAMP(6)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CompletableFuture<Void> start(OutboxSender sender, TaskPlatform platform, RunOptions options) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        sender.run(platform, options);
                        end.complete(null);
                    } catch (Throwable e) {
                        end.completeExceptionally(e);
                    }
                })
                .start();
        return end;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitState(OutboxState state, int count) throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!countOf(state).equals(Integer.toString(count))) {
            assertTrue(System.nanoTime() < end, () -> "not " + count + " rows in " + state);
            Thread.onSpinWait();
        }
    }

    private static String countOf(OutboxState state) throws SQLException {
        return database.value("SELECT COUNT(*) FROM sender_outbox WHERE state = '" + state + "'");
    }

    private static OutboxSender sender(OnAccepted callback) {
        OutboxSender.Builder builder =
                OutboxSender.builder(factory).namespaceId(Requests.NAMESPACE).queueId(Requests.QUEUE);
        return callback == null ? builder.build() : builder.onAccepted(callback).build();
    }
}
