package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.internal.store.ShortTransactions;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.jta.JtaBench;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.Mark;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The library's own transactions on JTA units: on plain connections, in no JTA transaction. */
class JtaSenderIT extends JtaFaults {
    private static final String SETTINGS =
            "SELECT @@transaction_isolation, @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@wait_timeout,"
                    + " @@net_read_timeout, @@net_write_timeout, @@autocommit";

    @BeforeEach
    void nothingIsDue() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
    }

    @ParameterizedTest
    @EnumSource
    void anOperationIsDeliveredAndReadOnTheJtaUnitItself(Enlistment enlistment) {
        JtaBench bench = enqueued(enlistment);
        assertEquals(
                OutboxState.PENDING, bench.outbox().resolve(id).orElseThrow().state());
        sender(bench).sendOnce(StubPlatform.accepting());
        assertEquals(
                OutboxState.ACCEPTED, bench.outbox().status(id).orElseThrow().state());
        assertTrue(sender(bench).sendOnce(StubPlatform.accepting()).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"LOCAL, CUT_BEFORE", "LOCAL, SWALLOW_REPLY", "XA, CUT_BEFORE", "XA, SWALLOW_REPLY"})
    void aClaimWhoseCommitIsLostSendsNothingAndTheLeaseDecides(Enlistment enlistment, Strike strike) throws Exception {
        JtaBench bench = enqueued(enlistment);
        StubPlatform platform = StubPlatform.accepting();
        Mark mark = proxy.next(MySqlProxy.COMMIT, strike);
        assertThrows(CommitUnconfirmedException.class, () -> sender(bench).sendOnce(platform));
        mark.awaitStruck();

        boolean committed = strike == Strike.SWALLOW_REPLY;
        assertEquals(List.of(), platform.keys());
        assertEquals(committed ? OutboxState.SENDING : OutboxState.PENDING, stateAtRest());
        OutboxRows.makeDue(database, id);
        sender(bench).sendOnce(platform);
        assertEquals(OutboxState.ACCEPTED, stateAtRest());
    }

    @ParameterizedTest
    @CsvSource({"LOCAL, CUT_BEFORE", "LOCAL, SWALLOW_REPLY", "XA, CUT_BEFORE", "XA, SWALLOW_REPLY"})
    void aConfirmationWhoseCommitIsLostIsFoundOrRepeated(Enlistment enlistment, Strike strike) throws SQLException {
        JtaBench bench = enqueued(enlistment);
        StubPlatform platform = StubPlatform.accepting();
        proxy.next(MySqlProxy.COMMIT, 1, strike);
        CommitUnconfirmedException e = assertThrows(
                CommitUnconfirmedException.class, () -> sender(bench).sendOnce(platform));
        assertEquals(id, e.operationId().orElseThrow());

        boolean committed = strike == Strike.SWALLOW_REPLY;
        assertEquals(committed ? OutboxState.ACCEPTED : OutboxState.SENDING, stateAtRest());
        OutboxRows.makeDue(database, committed ? "none" : id);
        assertEquals(committed, sender(bench).sendOnce(platform).isEmpty());
        assertEquals(OutboxState.ACCEPTED, stateAtRest());
    }

    @Test
    void aRunningSenderSendsAndIsWokenByJtaCommits() throws Exception {
        JtaBench bench = BENCHES.get(Enlistment.LOCAL);
        CountDownLatch sent = new CountDownLatch(2);
        StubPlatform platform = new StubPlatform(command -> {
            sent.countDown();
            return StubPlatform.receipt(command);
        });
        OutboxSender sender = sender(bench);
        CompletableFuture<Void> run = CompletableFuture.runAsync(() -> sender.run(
                platform,
                RunOptions.builder().pollInterval(Duration.ofSeconds(10)).build()));
        OutboxRows.enqueue(bench.outbox(), 2);
        Narayana.await(sent);
        sender.stop();
        run.get(60, TimeUnit.SECONDS);
        assertEquals("2", database.value("SELECT COUNT(*) FROM sender_outbox WHERE state = 'ACCEPTED'"));
    }

    @Test
    void theCallersTransactionIsSuspendedMeanwhile() throws Exception {
        JtaBench bench = BENCHES.get(Enlistment.LOCAL);
        MANAGER.begin();
        Transaction callers = MANAGER.getTransaction();
        try (EntityManager em = bench.unit().createEntityManager()) {
            bench.report(em, id);
            assertTrue(bench.outbox().status(id).isEmpty());
            assertEquals(callers, MANAGER.getTransaction());
            MANAGER.commit();
        }
        assertTrue(bench.outbox().status(id).isPresent());
        JtaBench.assertStored(database, id, 1);
    }

    @ParameterizedTest
    @EnumSource
    void theWorkIsBoundedAndEverythingIsPutBack(Enlistment enlistment) throws SQLException {
        JtaBench bench = BENCHES.get(enlistment);
        List<String> found;
        int foundTimeout;
        try (Connection before = bench.pool().getConnection()) {
            found = settings(before);
            foundTimeout = before.getNetworkTimeout();
        }
        String used = new ShortTransactions(bench.unit()).run(null, unit -> {
            Connection connection = unit.connection();
            assertTrue(connection.getNetworkTimeout() <= 4_500, "more than what is left of 5 s");
            assertEquals(List.of("READ-COMMITTED|1|1|10|10|10|0"), settings(connection));
            return connectionId(connection);
        });
        assertThrows(
                OutboxStorageException.class,
                () -> new ShortTransactions(bench.unit()).run(null, unit -> {
                    assertEquals(used, connectionId(unit.connection()));
                    return TestDatabase.execute(unit.connection(), "UPDATE no_such SET a = 1");
                }));
        try (Connection after = bench.pool().getConnection()) {
            assertEquals(used, connectionId(after));
            assertEquals(found, settings(after));
            assertEquals(foundTimeout, after.getNetworkTimeout());
        }
    }

    @Test
    void autocommitIsPutBackWhereThePoolWouldNot() throws SQLException {
        BareSource source = new BareSource(database::connect, false);
        EntityManagerFactory unit = database.jtaUnit(source, List.of(BusinessJob.class), Map.of());
        source.autoCommitAtClose().clear();
        new ShortTransactions(unit).run(null, work -> connectionId(work.connection()));
        assertThrows(
                OutboxStorageException.class,
                () -> new ShortTransactions(unit)
                        .run(null, work -> TestDatabase.execute(work.connection(), "UPDATE no_such SET a = 1")));
        assertEquals(List.of(true, true), source.autoCommitAtClose());
    }

    @Test
    void workThatFailsIsRolledBack() throws SQLException {
        JtaBench bench = enqueued(Enlistment.LOCAL);
        IllegalStateException own = new IllegalStateException("own");
        assertSame(
                own,
                assertThrows(
                        IllegalStateException.class,
                        () -> new ShortTransactions(bench.unit()).run(null, unit -> {
                            changeNote(unit.connection());
                            throw own;
                        })));
        assertEquals(id, database.value("SELECT note FROM business_job"));
    }

    /** Switching autocommit on again, as the pool had it, would commit what could not be rolled back. */
    @Test
    void workWhoseRollbackFailsIsNotCommittedByGivingTheConnectionBack() throws SQLException {
        JtaBench bench = enqueued(Enlistment.LOCAL);
        BareSource source = new BareSource(database::connect, true);
        ShortTransactions transactions =
                new ShortTransactions(database.jtaUnit(source, List.of(BusinessJob.class), Map.of()));
        assertThrows(
                IllegalStateException.class,
                () -> transactions.run(null, unit -> {
                    changeNote(unit.connection());
                    throw new IllegalStateException("own");
                }));
        assertEquals(1, source.refusedRollbacks());
        assertTrue(bench.outbox().resolve(id).isPresent());
        assertEquals(id, database.value("SELECT note FROM business_job FOR SHARE"));
    }

    @Test
    void aCallbackNeedsAResourceLocalUnit() {
        OutboxSender.Builder builder = OutboxSender.builder(
                        BENCHES.get(Enlistment.LOCAL).unit())
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted((em, record, receipt) -> {});
        InvalidInputException e = assertThrows(InvalidInputException.class, builder::build);
        assertTrue(e.getMessage().contains("onAccepted"), e.getMessage());
    }

    private JtaBench enqueued(Enlistment enlistment) {
        JtaBench bench = BENCHES.get(enlistment);
        bench.outbox().transactions().inTransaction(id, em -> bench.report(em, id));
        return bench;
    }

    private static OutboxSender sender(JtaBench bench) {
        return OutboxSender.builder(bench.unit())
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
    }

    /** After the end of a transaction whose connection was cut. */
    private OutboxState stateAtRest() {
        return truth.resolve(id).orElseThrow().state();
    }

    private static void changeNote(Connection connection) throws SQLException {
        TestDatabase.execute(connection, "UPDATE business_job SET note = 'changed'");
    }

    private static List<String> settings(Connection connection) throws SQLException {
        return TestDatabase.rows(connection, SETTINGS);
    }

    private static String connectionId(Connection connection) throws SQLException {
        return TestDatabase.rows(connection, "SELECT CONNECTION_ID()").get(0);
    }
}
