package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.LockModeType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of locks: a report that takes its business lock first deadlocks with a confirmation; one that enqueues first never does. */
class LockOrderIT {
    private static final BiConsumer<EntityManager, String> NOTHING = (em, id) -> {};
    private static final int REPORTERS = 6;
    private static final int SENDERS = 2;
    private static final int OPERATIONS = 600;
    private static final int REPORTS_PER_OPERATION = 5;
    private static final int REPORTS = OPERATIONS * REPORTS_PER_OPERATION;
    private static final int HOT_OPERATIONS = 3;
    private static final int ENOUGH_VICTIMS = 20;

    private static TestDatabase database;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final StubPlatform platform = StubPlatform.accepting();
    private final List<String> ids =
            Stream.generate(() -> OperationId.next().value()).limit(OPERATIONS).toList();
    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    private final AtomicInteger tickets = new AtomicInteger();
    private final AtomicInteger committed = new AtomicInteger();
    private final AtomicInteger victims = new AtomicInteger();
    private final AtomicInteger confirmations = new AtomicInteger();
    private final CountDownLatch firstTaken = new CountDownLatch(1);
    private final CountDownLatch outboxRowLocked = new CountDownLatch(1);
    private EntityManagerFactory factory;
    private Outbox outbox;
    private long deadlocksBefore;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("lockorder");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void noRows() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
        deadlocksBefore = deadlocks();
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void wrongOrderByALockDeadlocksWithAConfirmationAndCostsOneRetry() throws Exception {
        assertEquals(1, retriesWhenAReportMeetsAConfirmation(LockOrderIT::lockJob));
        assertEquals(deadlocksBefore + 1, deadlocks());
    }

    @Test
    void wrongOrderByAnUpdateDeadlocksWithAConfirmationAndCostsOneRetry() throws Exception {
        assertEquals(1, retriesWhenAReportMeetsAConfirmation((em, id) -> {
            em.find(BusinessJob.class, id).note("changed first");
            em.flush();
        }));
        assertEquals(deadlocksBefore + 1, deadlocks());
    }

    @Test
    void rightOrderWaitsForTheConfirmation() throws Exception {
        assertEquals(0, retriesWhenAReportMeetsAConfirmation(NOTHING));
        assertEquals(deadlocksBefore, deadlocks());
    }

    /** At READ COMMITTED: at REPEATABLE READ a lock on a job that is not there yet deadlocks reports with each other, by its gap. */
    @Test
    void loadInTheWrongOrderDeadlocks() throws Exception {
        load("READ-COMMITTED", LockOrderIT::lockJob);
        assertTrue(deadlocks() > deadlocksBefore, "no deadlock in " + committed + " transactions");
        assertAllAcceptedAndLinkedOnce();
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ-COMMITTED", "REPEATABLE-READ"})
    void loadInTheRightOrderNeverDeadlocks(String isolation) throws Exception {
        int acceptedMeanwhile = load(isolation, NOTHING);
        assertEquals(deadlocksBefore, deadlocks(), database.value("SHOW ENGINE INNODB STATUS"));
        assertEquals(0, victims.get());
        assertEquals(REPORTS, committed.get());
        assertEquals(OPERATIONS, reported.size());
        assertTrue(acceptedMeanwhile > OPERATIONS / 2, "only " + acceptedMeanwhile + " confirmations met the reports");
        assertAllAcceptedAndLinkedOnce();
    }

    /** Each takes its first lock before either goes for the other's. */
    private int retriesWhenAReportMeetsAConfirmation(BiConsumer<EntityManager, String> first) throws Exception {
        use("REPEATABLE-READ");
        String id = ids.get(0);
        untilCommitted(id, em -> report(em, id, "reported"));
        Future<?> again = threads.submit(() -> untilCommitted(id, em -> {
            first.accept(em, id);
            firstTaken.countDown();
            await(outboxRowLocked);
            report(em, id, "reported again");
        }));
        await(firstTaken);
        sender(this::linkOnceTheReportWaits).sendOnce(platform);
        again.get(20, TimeUnit.SECONDS);

        assertEquals("reported again", database.value("SELECT note FROM business_job"));
        assertAllAcceptedAndLinkedOnce();
        return victims.get() + confirmations.get() - 1;
    }

    private void linkOnceTheReportWaits(EntityManager em, OutboxRecord record, SubmitTaskResult receipt)
            throws SQLException {
        if (confirmations.incrementAndGet() == 1) {
            outboxRowLocked.countDown();
            awaitLockWait();
        }
        link(em, record, receipt);
    }

    /** Reports new operations, and the newest ones again, while senders confirm them; returns how many were accepted meanwhile. */
    private int load(String isolation, BiConsumer<EntityManager, String> first) throws Exception {
        use(isolation);
        List<OutboxSender> senders =
                Stream.generate(() -> sender(LockOrderIT::link)).limit(SENDERS).toList();
        RunOptions options = RunOptions.builder()
                .pollInterval(Duration.ofMillis(10))
                .concurrency(4)
                .build();
        List<? extends Future<?>> runs = senders.stream()
                .map(sender -> threads.submit(() -> sender.run(platform, options)))
                .toList();
        awaitAll(Stream.generate(() -> threads.submit(() -> reportAll(first)))
                .limit(REPORTERS)
                .toList());
        String accepted = database.value("SELECT COUNT(*) FROM sender_outbox WHERE state = 'ACCEPTED'");
        senders.forEach(OutboxSender::stop);
        awaitAll(runs);
        boolean more = true;
        while (more) {
            more = senders.get(0).sendOnce(platform).isPresent();
        }
        return Integer.parseInt(accepted);
    }

    private void reportAll(BiConsumer<EntityManager, String> first) {
        int ticket = tickets.getAndIncrement();
        while (ticket < REPORTS && victims.get() < ENOUGH_VICTIMS) {
            boolean isNew = ticket % REPORTS_PER_OPERATION == 0;
            int back = isNew ? 0 : ThreadLocalRandom.current().nextInt(HOT_OPERATIONS);
            String id = ids.get(Math.max(0, ticket / REPORTS_PER_OPERATION - back));
            String note = "report " + ticket;
            untilCommitted(id, em -> {
                first.accept(em, id);
                report(em, id, note);
            });
            ticket = tickets.getAndIncrement();
        }
    }

    /** As an application would, in the right order if nothing came before. */
    private void report(EntityManager em, String id, String note) {
        if (outbox.enqueue(em, id, Requests.of("{\"n\":1}")) == EnqueueResult.INSERTED) {
            em.persist(new BusinessJob(id, note));
        } else {
            lockJob(em, id).note(note);
        }
    }

    private static BusinessJob lockJob(EntityManager em, String id) {
        return em.find(BusinessJob.class, id, LockModeType.PESSIMISTIC_WRITE);
    }

    private static void link(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) {
        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
    }

    private void untilCommitted(String id, Consumer<EntityManager> work) {
        reported.add(id);
        while (isVictim(id, work)) {
            victims.incrementAndGet();
        }
        committed.incrementAndGet();
    }

    /** False if it committed; a lock wait time-out is no deadlock and fails the test. */
    private boolean isVictim(String id, Consumer<EntityManager> work) {
        try {
            outbox.transactions().inTransaction(id, em -> {
                work.accept(em);
                return null;
            });
            return false;
        } catch (RetryableTransactionException e) {
            if (Stream.iterate(e, Objects::nonNull, Throwable::getCause)
                    .anyMatch(cause -> cause instanceof SQLException sql && sql.getErrorCode() == 1213)) {
                return true;
            }
            throw e;
        }
    }

    private void assertAllAcceptedAndLinkedOnce() throws SQLException {
        String all = Integer.toString(reported.size());
        assertEquals(all, database.value("SELECT COUNT(*) FROM sender_outbox"));
        assertEquals(all, database.value("SELECT COUNT(*) FROM business_job"));
        assertEquals(
                all,
                database.value("SELECT COUNT(*) FROM sender_outbox o JOIN business_job j USING (operation_id)"
                        + " WHERE o.state = 'ACCEPTED' AND o.send_count = 1 AND o.task_id = j.task_id"));
        assertEquals(all, Integer.toString(platform.keys().size()));
    }

    private void use(String isolation) {
        factory = database.unit("sessionVariables=transaction_isolation='" + isolation + "'", Map.of());
        outbox = Requests.outbox(factory);
    }

    private OutboxSender sender(OnAccepted callback) {
        return OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted(callback)
                .build();
    }

    private static void awaitAll(List<? extends Future<?>> futures) throws Exception {
        for (Future<?> future : futures) {
            future.get(120, TimeUnit.SECONDS);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(10, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitLockWait() throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        while (database.rows("SELECT 1 FROM performance_schema.data_locks WHERE lock_status = 'WAITING'"
                        + " AND object_schema = '" + database.schemaName() + "'")
                .isEmpty()) {
            assertTrue(System.nanoTime() < end, "the report does not wait for the outbox row");
        }
    }

    private static long deadlocks() throws SQLException {
        return Long.parseLong(database.value("SELECT count FROM information_schema.innodb_metrics"
                + " WHERE name = 'lock_deadlocks' AND status = 'enabled'"));
    }
}
