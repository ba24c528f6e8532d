package hk.yuntuo.orbit.outbox.internal.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.support.Disturbance;
import hk.yuntuo.orbit.outbox.support.LendingDataSource;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.hibernate.Interceptor;
import org.hibernate.Transaction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sender's own transactions: their bounds, and that the pool gets its connection back as it was. */
class ShortTransactionsIT {
    private static final String SETTINGS =
            "SELECT @@transaction_isolation, @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@wait_timeout,"
                    + " @@net_read_timeout, @@net_write_timeout, @@autocommit";
    private static final int SOCKET_TIMEOUT = 45_678;
    private static TestDatabase database;
    private HikariDataSource pool;
    private ShortTransactions transactions;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("short");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void oneRowAndAPoolOfOne() throws SQLException {
        database.update("DELETE FROM business_job");
        database.update("INSERT INTO business_job VALUES ('a', 'a', NULL)");
        pool = database.pool(
                "socketTimeout=" + SOCKET_TIMEOUT
                        + "&sessionVariables=transaction_isolation='SERIALIZABLE',innodb_lock_wait_timeout=77,lock_wait_timeout=88"
                        + ",wait_timeout=99,net_read_timeout=55,net_write_timeout=66",
                1);
        transactions = new ShortTransactions(database.unit(pool, Map.of()));
    }

    /** Closed after each test: what one test has not given back fails that test, and keeps no connection and no lock from the next. */
    @AfterEach
    void everyConnectionIsBack() {
        int lent = pool.getHikariPoolMXBean().getActiveConnections();
        pool.close();
        assertEquals(0, lent, "connections that were not given back");
    }

    @Test
    void theWorkRunsAtReadCommittedWithShortWaitsAndABoundedNetwork() throws SQLException {
        transactions.run(null, unit -> {
            Connection connection = unit.connection();
            assertTrue(connection.getNetworkTimeout() <= 4_500, "more than what is left of 5 s");
            assertEquals(List.of("READ-COMMITTED|1|1|10|10|10|0"), TestDatabase.rows(connection, SETTINGS));
            return null;
        });
        assertRestored();
    }

    @Test
    void aFailedTransactionIsRolledBackAndItsConnectionRestored() throws SQLException {
        IllegalStateException own = assertThrows(
                IllegalStateException.class,
                () -> transactions.run(null, unit -> {
                    TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    throw new IllegalStateException("own");
                }));
        assertEquals("own", own.getMessage());
        assertEquals("a", database.value("SELECT note FROM business_job"));

        OutboxStorageException refused = assertThrows(
                OutboxStorageException.class,
                () -> transactions.run(
                        "op", unit -> TestDatabase.execute(unit.connection(), "UPDATE no_such SET a = 1")));
        assertEquals("op", refused.operationId().orElseThrow());
        assertTrue(refused.getMessage().contains("1146"), refused.getMessage());
        assertRestored();
    }

    @Test
    void aStatementThatHangsIsCutWithinFiveSeconds() throws SQLException {
        long start = System.nanoTime();
        assertThrows(
                OutboxStorageException.class,
                () -> transactions.run(null, unit -> {
                    TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    return TestDatabase.rows(unit.connection(), "SELECT SLEEP(20)");
                }));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(Duration.ofMillis(5_500)) < 0, took.toString());
        assertTrue(took.compareTo(Duration.ofMillis(3_500)) > 0, took.toString());
        assertRestored();
    }

    @Test
    void timeSpentOutsideStatementsCountsToo() throws SQLException {
        ShortTransactions brief = transactions;
        assertThrows(
                OutboxStorageException.class,
                () -> brief.run(null, Duration.ofMillis(700), unit -> {
                    TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    long end = System.nanoTime() + 300_000_000L;
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                    return null;
                }));
        assertEquals("a", database.value("SELECT note FROM business_job"));
        assertRestored();
    }

    @Test
    void aLockWaitTimeoutRunsTheTransactionAgainWhileItsTimeLasts() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.execute(holder, "UPDATE business_job SET note = 'held'");
            assertThrows(
                    RetryableTransactionException.class,
                    () -> transactions.run(null, unit -> {
                        runs.incrementAndGet();
                        return TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    }));
            assertTrue(runs.get() >= 2, runs + " runs");
            holder.rollback();
        }
        assertRestored();
    }

    @Test
    void aRetriedTransactionSucceedsOnceTheLockIsGone() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.execute(holder, "UPDATE business_job SET note = 'held'");
            transactions.run(null, unit -> {
                if (runs.incrementAndGet() == 2) {
                    holder.rollback();
                }
                return TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
            });
        }
        assertEquals("b", database.value("SELECT note FROM business_job"));
        assertRestored();
    }

    @Test
    void aConnectionKilledInTheWorkIsAStorageErrorAndThePoolRecovers() throws SQLException {
        assertThrows(
                OutboxStorageException.class,
                () -> transactions.run(null, unit -> {
                    kill(unit.connection());
                    return TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                }));
        assertRestored();
    }

    @Test
    void aConnectionKilledBeforeTheCommitLeavesItsOutcomeUnknown() throws SQLException {
        CommitUnconfirmedException e = assertThrows(
                CommitUnconfirmedException.class,
                () -> transactions.run("op", unit -> {
                    TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    kill(unit.connection());
                    return null;
                }));
        assertEquals("op", e.operationId().orElseThrow());
        assertInstanceOf(SQLException.class, SqlErrors.sqlException(e));
        assertEquals("a", database.value("SELECT note FROM business_job"));
        assertRestored();
    }

    @Test
    void aPoolThatAutocommitsServesAsWell() throws SQLException {
        HikariDataSource autocommitting = database.pool("", 1, true);
        ShortTransactions own = new ShortTransactions(
                database.unit(autocommitting, Map.of("hibernate.connection.provider_disables_autocommit", "false")));
        String id = own.run(null, unit -> connectionId(unit.connection()));
        assertThrows(
                IllegalStateException.class,
                () -> own.run(null, unit -> {
                    TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    throw new IllegalStateException("roll back");
                }));
        assertEquals("a", database.value("SELECT note FROM business_job"));
        own.run(null, unit -> TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'c'"));
        assertEquals("c", database.value("SELECT note FROM business_job"));
        try (Connection connection = autocommitting.getConnection()) {
            assertEquals(id, connectionId(connection), "the pool has thrown its connection away");
            assertEquals(List.of("REPEATABLE-READ|50|31536000|28800|30|60|1"), TestDatabase.rows(connection, SETTINGS));
        }
    }

    @Test
    void anAutocommittingPoolThatTheUnitTakesForAnotherIsRefusedBeforeAnySql() throws SQLException {
        ShortTransactions wrong = new ShortTransactions(database.unit(database.pool("", 1, true), Map.of()));
        for (int i = 0; i < 3; i++) {
            IllegalStateException e = assertThrows(
                    IllegalStateException.class,
                    () -> wrong.run(null, unit -> TestDatabase.execute(unit.connection(), "DELETE FROM business_job")));
            assertTrue(e.getMessage().contains("provider_disables_autocommit"), e.getMessage());
        }
        assertEquals("a", database.value("SELECT note FROM business_job"));
    }

    @Test
    void aDeadConnectionGoesBackToAPoolThatDoesNotLookAtItToo() throws SQLException {
        LendingDataSource lending = new LendingDataSource(database::connect);
        ShortTransactions own = new ShortTransactions(
                database.unit(lending, Map.of("hibernate.connection.provider_disables_autocommit", "false")));
        for (int statementsAfterTheKill : new int[] {0, 1, 2}) {
            assertThrows(
                    OutboxException.class,
                    () -> own.run(null, unit -> {
                        kill(unit.connection());
                        if (statementsAfterTheKill == 2) {
                            assertThrows(SQLException.class, () -> touch(unit));
                        }
                        return statementsAfterTheKill == 0 ? 0 : touch(unit);
                    }));
            assertEquals(0, lending.outstanding());
        }
        assertThrows(
                OutboxException.class,
                () -> own.run(null, Duration.ofMillis(1_200), unit -> {
                    return TestDatabase.rows(unit.connection(), "SELECT SLEEP(10)");
                }));
        assertEquals(0, lending.outstanding());
        own.run(null, ShortTransactionsIT::touch);
        assertEquals(0, lending.outstanding());
    }

    private static int touch(Unit unit) throws SQLException {
        return TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'c'");
    }

    @Test
    void waitingForThePoolIsNotTheTransactionsTime() throws Exception {
        CompletableFuture<Integer> run;
        try (Connection held = pool.getConnection()) {
            run = CompletableFuture.supplyAsync(() -> transactions.run(
                    null,
                    Duration.ofSeconds(1),
                    unit -> TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'")));
            assertThrows(TimeoutException.class, () -> run.get(1_500, TimeUnit.MILLISECONDS));
            assertTrue(held.isValid(1));
        }
        assertEquals(1, run.get(5, TimeUnit.SECONDS));
    }

    @Test
    void aLockWaitThatBeginsLateIsStillRetryable() throws SQLException {
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.execute(holder, "UPDATE business_job SET note = 'held'");
            assertThrows(
                    RetryableTransactionException.class,
                    () -> transactions.run(null, unit -> {
                        TestDatabase.rows(unit.connection(), "SELECT SLEEP(0.7)");
                        return TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    }));
            holder.rollback();
        }
        assertRestored();
    }

    @Test
    void aLockThatIsMetWithoutTimeToOutlastItIsRetryableToo() throws SQLException {
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.execute(holder, "UPDATE business_job SET note = 'held'");
            assertThrows(
                    RetryableTransactionException.class,
                    () -> transactions.run(null, unit -> {
                        TestDatabase.rows(unit.connection(), "SELECT SLEEP(3.8)");
                        return TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
                    }));
            holder.rollback();
        }
        assertRestored();
    }

    /** No pool of Hikari's here: it may give a connection to the thread that has just closed it, before one that has waited for it. */
    @Test
    void waitingForThePoolIsNotTheTransactionsTimeAtASecondTryEither() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<Void> free = new CompletableFuture<>();
        ShortTransactions own = overLent(() -> {
            if (runs.get() == 1) {
                asked.complete(null);
                free.join();
            }
            return database.connect();
        });
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.execute(holder, "UPDATE business_job SET note = 'held'");
            CompletableFuture<Integer> run = CompletableFuture.supplyAsync(() -> own.run(null, unit -> {
                runs.incrementAndGet();
                return touch(unit);
            }));
            asked.get(10, TimeUnit.SECONDS);
            assertThrows(TimeoutException.class, () -> run.get(5_500, TimeUnit.MILLISECONDS));
            holder.rollback();
            free.complete(null);
            assertEquals(1, run.get(5, TimeUnit.SECONDS));
        } finally {
            free.complete(null);
        }
    }

    private static ShortTransactions overLent(LendingDataSource.Source source) {
        return new ShortTransactions(database.unit(
                new LendingDataSource(source), Map.of("hibernate.connection.provider_disables_autocommit", "false")));
    }

    @Test
    void whatFailsInTheBeginGivesTheConnectionBack() throws SQLException {
        Interceptor failing = new Interceptor() {
            @Override
            public void afterTransactionBegin(Transaction transaction) {
                throw new IllegalStateException("in begin");
            }
        };
        LendingDataSource lending = new LendingDataSource(database::connect);
        EntityManagerFactory unit = database.unit(
                lending,
                Map.of(
                        "hibernate.session_factory.interceptor",
                        failing,
                        "hibernate.connection.provider_disables_autocommit",
                        "false"));
        assertThrows(IllegalStateException.class, () -> new ShortTransactions(unit).run(null, u -> null));
        assertEquals(0, lending.outstanding());
        assertThrows(IllegalStateException.class, () -> new ResourceLocalTransactions(unit).inTransaction(em -> null));
        assertEquals(0, lending.outstanding());
    }

    @Test
    void whatFailsAfterTheCommitDoesNotUndoIt() throws SQLException {
        int updated = transactions.run(null, unit -> {
            Disturbance.afterCompletion(unit.entityManager());
            return TestDatabase.execute(unit.connection(), "UPDATE business_job SET note = 'b'");
        });
        assertEquals(1, updated);
        assertEquals("b", database.value("SELECT note FROM business_job"));
        assertRestored();
    }

    @Test
    void whatAConnectionThrowsAtPuttingBackUndoesNothingAndKeepsNothing() throws SQLException {
        LendingDataSource lending = new LendingDataSource(() -> notToBeRestored(database.connect()));
        ShortTransactions own = new ShortTransactions(
                database.unit(lending, Map.of("hibernate.connection.provider_disables_autocommit", "false")));
        AtomicReference<Connection> used = new AtomicReference<>();
        own.run(null, unit -> {
            used.set(unit.connection());
            return touch(unit);
        });
        assertEquals("c", database.value("SELECT note FROM business_job"));
        assertEquals(0, lending.outstanding());
        assertTrue(used.get().isClosed(), "a pool would hand it on");
    }

    private static Connection notToBeRestored(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                ShortTransactionsIT.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (arguments != null && Sql.RESTORE_SESSION.equals(arguments[0])) {
                        throw new IllegalStateException("unchecked");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void kill(Connection connection) throws SQLException {
        database.update("KILL " + connectionId(connection));
    }

    private static String connectionId(Connection connection) throws SQLException {
        return TestDatabase.rows(connection, "SELECT CONNECTION_ID()").get(0);
    }

    private void assertRestored() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertEquals(List.of("SERIALIZABLE|77|88|99|55|66|0"), TestDatabase.rows(connection, SETTINGS));
            assertEquals(SOCKET_TIMEOUT, connection.getNetworkTimeout());
        }
    }
}
