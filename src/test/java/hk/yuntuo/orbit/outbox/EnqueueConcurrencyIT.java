package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many enqueues at once, at both isolations. */
class EnqueueConcurrencyIT {
    private static TestDatabase database;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("concurrency");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @ParameterizedTest
    @CsvSource({"8, READ-COMMITTED", "32, READ-COMMITTED", "8, REPEATABLE-READ", "32, REPEATABLE-READ"})
    void equalOperationsLeaveOneRowAndAllOthersAreDuplicates(int threads, String isolation) throws Exception {
        Outbox outbox = outbox(isolation);
        for (int round = 0; round < 5; round++) {
            String id = OperationId.next().value();
            List<EnqueueResult> results = together(
                    threads,
                    index -> outbox.transactions().inTransaction(id, em -> {
                        EnqueueResult result = outbox.enqueue(em, id, Requests.of("{\"n\":1}"));
                        if (result == EnqueueResult.INSERTED) {
                            em.persist(new BusinessJob(id, id));
                        }
                        return result;
                    }));

            assertEquals(1, Collections.frequency(results, EnqueueResult.INSERTED));
            assertEquals(threads - 1, Collections.frequency(results, EnqueueResult.DUPLICATE));
            assertEquals("1", count("sender_outbox", id));
            assertEquals("1", count("business_job", id));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ-COMMITTED", "REPEATABLE-READ"})
    void distinctOperationsNeverDeadlock(String isolation) throws Exception {
        Outbox outbox = outbox(isolation);
        long before = deadlocks();
        List<String> ids = Collections.synchronizedList(new ArrayList<>());
        together(16, index -> {
            for (int i = 0; i < 40; i++) {
                String id = OperationId.next().value();
                ids.add(id);
                outbox.transactions().inTransaction(id, em -> {
                    outbox.enqueue(em, id, Requests.of("{\"n\":1}"));
                    em.persist(new BusinessJob(id, id));
                    return null;
                });
            }
            return null;
        });
        assertEquals(before, deadlocks());
        assertEquals(640, ids.size());
        for (String id : List.of(ids.get(0), ids.get(639))) {
            assertEquals("1", count("sender_outbox", id));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ-COMMITTED", "REPEATABLE-READ"})
    void whenTheWinnerRollsBackTheOthersRunAgainAndOneRowResults(String isolation) throws Exception {
        Outbox outbox = outbox(isolation);
        AtomicInteger victims = new AtomicInteger();
        for (int round = 0; round < 5; round++) {
            String id = OperationId.next().value();
            CountDownLatch inserted = new CountDownLatch(1);
            CountDownLatch rollBack = new CountDownLatch(1);
            ExecutorService winner = Executors.newSingleThreadExecutor();
            Future<?> rolledBack = winner.submit(() -> rollBackAfter(outbox, id, inserted, rollBack));
            inserted.await();
            List<EnqueueResult> results = together(8, index -> {
                if (index == 0) {
                    waitForLockWaits(id);
                    rollBack.countDown();
                }
                return untilDone(outbox, id, victims);
            });
            rolledBack.get(30, TimeUnit.SECONDS);
            winner.shutdown();

            assertEquals(1, Collections.frequency(results, EnqueueResult.INSERTED), results.toString());
            assertEquals(7, Collections.frequency(results, EnqueueResult.DUPLICATE), results.toString());
            assertEquals("1", count("sender_outbox", id));
            assertEquals("1", count("business_job", id));
        }
        assertTrue(victims.get() > 0, "no transaction was ever a victim: the test did not reach its subject");
    }

    @Test
    void aLockWaitTimeoutIsRetryableAndCannotBeSwallowed() throws Exception {
        EntityManagerFactory factory = database.unit("sessionVariables=innodb_lock_wait_timeout=1", Map.of());
        Outbox outbox = outboxOf(factory);
        String id = OperationId.next().value();
        try (EntityManager holder = factory.createEntityManager();
                EntityManager waiter = factory.createEntityManager()) {
            holder.getTransaction().begin();
            outbox.enqueue(holder, id, Requests.of("1"));
            waiter.getTransaction().begin();
            RetryableTransactionException e = assertThrows(
                    RetryableTransactionException.class, () -> outbox.enqueue(waiter, id, Requests.of("1")));
            assertEquals(id, e.operationId().orElseThrow());
            assertTrue(waiter.getTransaction().getRollbackOnly());
            waiter.getTransaction().rollback();
            holder.getTransaction().commit();
        }
        assertEquals("1", count("sender_outbox", id));
    }

    private static Void rollBackAfter(Outbox outbox, String id, CountDownLatch inserted, CountDownLatch rollBack) {
        try {
            outbox.transactions().inTransaction(id, em -> {
                outbox.enqueue(em, id, Requests.of("{\"n\":1}"));
                inserted.countDown();
                await(rollBack);
                throw new IllegalStateException("the winner gives up");
            });
        } catch (IllegalStateException e) {
            return null;
        }
        throw new AssertionError("the winner committed");
    }

    private static EnqueueResult untilDone(Outbox outbox, String id, AtomicInteger victims) {
        while (true) {
            try {
                return outbox.transactions().inTransaction(id, em -> {
                    EnqueueResult result = outbox.enqueue(em, id, Requests.of("{\"n\":1}"));
                    if (result == EnqueueResult.INSERTED) {
                        em.persist(new BusinessJob(id, id));
                    }
                    return result;
                });
            } catch (RetryableTransactionException e) {
                victims.incrementAndGet();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Until at least six of the others queue for the winner's row. */
    private static void waitForLockWaits(String id) throws SQLException {
        try (Connection connection = database.connect()) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            String sql = "SELECT COUNT(*) FROM performance_schema.data_locks WHERE lock_status = 'WAITING'"
                    + " AND object_schema = '" + database.schemaName() + "' AND lock_data LIKE '%" + id + "%'";
            while (Integer.parseInt(TestDatabase.rows(connection, sql).get(0)) < 6) {
                assertTrue(System.nanoTime() < end, "nobody waits for the winner");
                Thread.onSpinWait();
            }
        }
    }

    private static <T> List<T> together(int threads, IndexedCallable<T> work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Callable<T>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int index = i;
                tasks.add(() -> {
                    start.await();
                    return work.call(index);
                });
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : executor.invokeAll(tasks)) {
                results.add(future.get());
            }
            return results;
        } finally {
            executor.shutdownNow();
        }
    }

    private interface IndexedCallable<T> {
        T call(int index) throws Exception;
    }

    private static long deadlocks() throws SQLException {
        return Long.parseLong(
                database.value("SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'"));
    }

    private static Outbox outbox(String isolation) {
        return outboxOf(database.unit("sessionVariables=transaction_isolation='" + isolation + "'", Map.of()));
    }

    private static Outbox outboxOf(EntityManagerFactory factory) {
        return Requests.outbox(factory);
    }

    private static String count(String table, String id) throws SQLException {
        return database.value("SELECT COUNT(*) FROM " + table + " WHERE operation_id = '" + id + "'");
    }
}
