package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.spi.CommitOutcome;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Disturbance;
import hk.yuntuo.orbit.outbox.support.MarkingJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EntityTransaction;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.RollbackException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.hibernate.Interceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How transactions end, also when their COMMIT is lost on the wire, and how the truth is found afterwards. */
class CommitOutcomeIT {
    private static TestDatabase database;
    private static MySqlProxy proxy;
    private static EntityManagerFactory factory;
    private static EntityManagerFactory behindProxy;
    private static Outbox outbox;
    private static Outbox cutOutbox;
    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("commit");
        proxy = database.newProxy();
        factory = database.unit();
        behindProxy = database.unit(database.poolThrough(proxy.port()), Map.of());
        outbox = outbox(factory);
        cutOutbox = outbox(behindProxy);
    }

    @AfterAll
    static void close() {
        database.close();
        proxy.close();
    }

    @Test
    void resolveWaitsForATransactionThatStillHoldsTheRow() throws Exception {
        try (EntityManager ghost = factory.createEntityManager()) {
            ghost.getTransaction().begin();
            outbox.enqueue(ghost, id, Requests.of("1"));
            assertTrue(outbox.status(id).isEmpty());
            CompletableFuture<Boolean> resolved =
                    CompletableFuture.supplyAsync(() -> outbox.resolve(id).isPresent());
            database.awaitLockWait();
            assertFalse(resolved.isDone());
            ghost.getTransaction().commit();
            assertTrue(resolved.get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void resolveSaysThatItDoesNotKnowWhenTheGhostOutlivesItsLimit() {
        try (EntityManager ghost = factory.createEntityManager()) {
            ghost.getTransaction().begin();
            outbox.enqueue(ghost, id, Requests.of("1"));
            assertThrows(RetryableTransactionException.class, () -> outbox.resolve(id, Duration.ofSeconds(3)));
            ghost.getTransaction().rollback();
        }
        assertTrue(outbox.resolve(id).isEmpty());
    }

    @Test
    void theWorksOwnExceptionComesBackAndNothingIsStored() {
        IllegalStateException own = new IllegalStateException("own");
        assertSame(
                own,
                assertThrows(
                        IllegalStateException.class,
                        () -> outbox.transactions().inTransaction(id, em -> {
                            outbox.enqueue(em, id, Requests.of("1"));
                            throw own;
                        })));
        assertTrue(outbox.resolve(id).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSwallowedErrorCannotCommitHalfATransaction(boolean compliance) throws SQLException {
        EntityManagerFactory unit =
                database.unit("", Map.of("hibernate.jpa.compliance.transaction", Boolean.toString(compliance)));
        Outbox swallowing = outbox(unit);
        database.update("INSERT INTO business_job VALUES ('" + id + "', 'x-" + id + "', NULL)");
        assertThrows(
                RollbackException.class,
                () -> swallowing.transactions().inTransaction(id, em -> {
                    swallowing.enqueue(em, id, Requests.of("1"));
                    em.persist(new BusinessJob(id, id));
                    return assertThrows(PersistenceException.class, em::flush);
                }));
        assertTrue(outbox.resolve(id).isEmpty());
    }

    @Test
    void aLockFailureInTheBusinessRowsIsRetryable() throws Exception {
        database.update("INSERT INTO business_job VALUES ('" + id + "', '" + id + "', NULL)");
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.execute(holder, "UPDATE business_job SET task_id = 'h' WHERE operation_id = '" + id + "'");
            assertThrows(
                    RetryableTransactionException.class,
                    () -> outbox.transactions().inTransaction(id, em -> {
                        em.createNativeQuery("SET SESSION innodb_lock_wait_timeout = 1")
                                .executeUpdate();
                        outbox.enqueue(em, id, Requests.of("1"));
                        em.find(BusinessJob.class, id).taskId("t");
                        return null;
                    }));
            holder.rollback();
        }
        assertTrue(outbox.resolve(id).isEmpty());
    }

    @Test
    void whatFailsAfterTheCommitDoesNotUndoIt() {
        EnqueueResult result = outbox.transactions().inTransaction(id, em -> {
            Disturbance.afterCompletion(em);
            return outbox.enqueue(em, id, Requests.of("1"));
        });
        assertEquals(EnqueueResult.INSERTED, result);
        assertTrue(outbox.resolve(id).isPresent());
    }

    @Test
    void whatFailsAfterALostCommitDoesNotHideThatItIsUnconfirmed() {
        proxy.next(MySqlProxy.COMMIT, Strike.SWALLOW_REPLY);
        assertThrows(
                CommitUnconfirmedException.class,
                () -> cutOutbox.transactions().inTransaction(id, em -> {
                    Disturbance.afterCompletion(em);
                    return cutOutbox.enqueue(em, id, Requests.of("1"));
                }));
        assertTrue(outbox.resolve(id).isPresent());
    }

    @Test
    void aCheckedExceptionThatSlipsOutRollsBackAndGivesTheConnectionBack() {
        HikariDataSource pool = database.pool("", 1);
        Outbox single = outbox(database.unit(pool, Map.of()));
        assertThrows(
                IOException.class,
                () -> single.transactions().inTransaction(id, em -> {
                    single.enqueue(em, id, Requests.of("1"));
                    throw CommitOutcomeIT.<RuntimeException>sneaky(new IOException("checked"));
                }));
        assertEquals(0, pool.getHikariPoolMXBean().getActiveConnections());
        assertTrue(single.resolve(id).isEmpty());
    }

    @Test
    void anObserverThatThrowsDisturbsNobody() {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            CommitOutcome.observe(em, outcome -> {
                throw new IllegalStateException("observer");
            });
            outbox.enqueue(em, id, Requests.of("1"));
            em.getTransaction().commit();
        }
        assertTrue(outbox.resolve(id).isPresent());
    }

    @ParameterizedTest
    @ValueSource(longs = {3_000, 3_500, 4_200, 5_000})
    void resolveOfAHeldRowIsRetryableWithAnyLimit(long millis) {
        try (EntityManager ghost = factory.createEntityManager()) {
            ghost.getTransaction().begin();
            outbox.enqueue(ghost, id, Requests.of("1"));
            assertThrows(RetryableTransactionException.class, () -> outbox.resolve(id, Duration.ofMillis(millis)));
            ghost.getTransaction().rollback();
        }
    }

    @Test
    void workThatEndsItsTransactionItselfIsToldSo() {
        for (Consumer<EntityTransaction> end :
                List.<Consumer<EntityTransaction>>of(EntityTransaction::commit, EntityTransaction::rollback)) {
            assertThrows(
                    IllegalStateException.class,
                    () -> outbox.transactions().inTransaction(id, em -> {
                        end.accept(em.getTransaction());
                        em.getTransaction().begin();
                        return outbox.enqueue(em, id, Requests.of("1"));
                    }));
            assertTrue(outbox.resolve(id).isEmpty());
        }
    }

    @Test
    void aRollbackMarkSetWithinTheFlushCannotPassForACommit() {
        RollbackException e = assertThrows(
                RollbackException.class,
                () -> outbox.transactions().inTransaction(id, em -> {
                    outbox.enqueue(em, id, Requests.of("1"));
                    em.persist(new MarkingJob(id, () -> em.getTransaction().setRollbackOnly()));
                    return null;
                }));
        assertTrue(e.getMessage().contains("rolled back"), e.getMessage());
        assertTrue(outbox.resolve(id).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whateverIsThrownWithinTheCommitGivesTheConnectionBack(boolean checked) throws SQLException {
        HikariDataSource pool = database.pool("", 1);
        AtomicInteger flushes = new AtomicInteger();
        Interceptor failing = new Interceptor() {
            @Override
            public void preFlush(Iterator<Object> entities) {
                if (flushes.incrementAndGet() == 2) {
                    if (checked) {
                        throw CommitOutcomeIT.<RuntimeException>sneaky(new IOException("checked"));
                    }
                    throw new AssertionError("within the commit");
                }
            }
        };
        EntityManagerFactory unit = database.unit(pool, Map.of("hibernate.session_factory.interceptor", failing));
        Outbox single = outbox(unit);
        assertThrows(
                Throwable.class,
                () -> single.transactions().inTransaction(id, em -> {
                    em.persist(new BusinessJob(id, id));
                    return single.enqueue(em, id, Requests.of("1"));
                }));
        assertEquals(0, pool.getHikariPoolMXBean().getActiveConnections());
        assertTrue(single.resolve(id).isEmpty());

        database.update("DELETE FROM sender_outbox");
        enqueueWithJob(outbox);
        flushes.set(0);
        OutboxSender sender = sender(unit);
        assertThrows(Throwable.class, () -> sender.sendOnce(StubPlatform.accepting()));
        assertEquals(0, pool.getHikariPoolMXBean().getActiveConnections());
    }

    @Test
    void manyWhoResolveAHeldRowAllLearnThatItIsNotKnown() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(12);
        try (EntityManager ghost = factory.createEntityManager()) {
            ghost.getTransaction().begin();
            outbox.enqueue(ghost, id, Requests.of("1"));
            List<Callable<Void>> calls = Collections.nCopies(12, () -> {
                assertThrows(RetryableTransactionException.class, () -> outbox.resolve(id));
                return null;
            });
            for (Future<Void> call : executor.invokeAll(calls)) {
                call.get();
            }
            ghost.getTransaction().rollback();
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void aLockedTableIsALockWaitAndLeavesNoSessionBehind() throws Exception {
        enqueueWithJob(outbox);
        try (Connection locker = database.connect()) {
            TestDatabase.execute(locker, "LOCK TABLES sender_outbox WRITE");
            assertThrows(RetryableTransactionException.class, () -> outbox.status(id));
            assertEquals(
                    List.of(),
                    TestDatabase.rows(
                            locker,
                            "SELECT id FROM information_schema.processlist WHERE state LIKE '%metadata lock%'"
                                    + " AND db = '" + database.schemaName() + "'"));
            TestDatabase.execute(locker, "UNLOCK TABLES");
        }
        assertTrue(outbox.status(id).isPresent());
    }

    @Test
    void ownTransactionsCanObserveTheirOutcome() {
        List<CommitOutcome> outcomes = new ArrayList<>();
        try (EntityManager em = factory.createEntityManager()) {
            assertThrows(IllegalStateException.class, () -> CommitOutcome.observe(em, outcomes::add));
            em.getTransaction().begin();
            CommitOutcome.observe(em, outcomes::add);
            em.getTransaction().commit();
            em.getTransaction().begin();
            CommitOutcome.observe(em, outcomes::add);
            em.getTransaction().rollback();
        }
        try (EntityManager em = behindProxy.createEntityManager()) {
            em.getTransaction().begin();
            CommitOutcome.observe(em, outcomes::add);
            cutOutbox.enqueue(em, id, Requests.of("1"));
            proxy.next(MySqlProxy.COMMIT, Strike.SWALLOW_REPLY);
            assertThrows(RuntimeException.class, () -> em.getTransaction().commit());
        }
        assertEquals(List.of(CommitOutcome.COMMITTED, CommitOutcome.ROLLED_BACK, CommitOutcome.UNKNOWN), outcomes);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E sneaky(Exception e) throws E {
        throw (E) e;
    }

    private EnqueueResult enqueueWithJob(Outbox target) {
        return target.transactions().inTransaction(id, em -> {
            EnqueueResult result = target.enqueue(em, id, Requests.of("1"));
            if (result == EnqueueResult.INSERTED) {
                em.persist(new BusinessJob(id, id));
            }
            return result;
        });
    }

    private OutboxState state() {
        return outbox.status(id).orElseThrow().state();
    }

    private String jobs() throws SQLException {
        return database.value("SELECT COUNT(*) FROM business_job WHERE operation_id = '" + id + "'");
    }

    private static Outbox outbox(EntityManagerFactory unit) {
        return Requests.outbox(unit);
    }

    private static OutboxSender sender(EntityManagerFactory unit) {
        return OutboxSender.builder(unit)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted((em, record, receipt) ->
                        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId()))
                .build();
    }
}
