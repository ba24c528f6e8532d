package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.proxy.Mark;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The connection is lost at a COMMIT, or at a statement before it, in each of the three kinds of transactions: the business's, the
 * claim's and the settlement's. Whoever comes next, on a connection of its own, finds the truth.
 */
class LostCommitIT {
    private static TestDatabase database;
    private static MySqlProxy proxy;
    private static EntityManagerFactory behindProxy;
    private static EntityManagerFactory direct;

    private final String id = OperationId.next().value();
    private final StubPlatform platform = StubPlatform.accepting();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("lost");
        proxy = database.newProxy();
        behindProxy = database.unit(database.poolThrough(proxy.port()), Map.of());
        direct = database.unit();
    }

    @AfterAll
    static void close() {
        database.close();
        proxy.close();
    }

    @BeforeEach
    void noRows() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
    }

    @AfterEach
    void everyStrikeIsUsedUp() {
        assertEquals(0, proxy.disarm());
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "CUT_WITHIN", "SWALLOW_REPLY"})
    void aBusinessCommitIsUnconfirmedAndTheNextTryFindsTheTruth(Strike strike) throws SQLException {
        Mark mark = proxy.next(MySqlProxy.COMMIT, strike);
        CommitUnconfirmedException e = assertThrows(CommitUnconfirmedException.class, () -> report(behindProxy));
        assertEquals(id, e.operationId().orElseThrow());
        assertEquals(committed(strike) ? "OK" : "none", mark.answer());

        assertEquals(committed(strike), fresh().resolve(id).isPresent());
        assertRows(committed(strike) ? 1 : 0);
        assertEquals(committed(strike) ? EnqueueResult.DUPLICATE : EnqueueResult.INSERTED, report(behindProxy));
        assertRows(1);
    }

    static Stream<Arguments> aBusinessStatementThatIsLostLeavesNothing() {
        return Stream.of("INSERT INTO sender_outbox", "insert into business_job")
                .flatMap(sql -> Stream.of(Strike.CUT_BEFORE, Strike.CUT_WITHIN, Strike.SWALLOW_REPLY)
                        .map(strike -> Arguments.of(sql, strike)));
    }

    @ParameterizedTest
    @MethodSource
    void aBusinessStatementThatIsLostLeavesNothing(String sql, Strike strike) throws SQLException {
        proxy.next(MySqlProxy.containing(sql), strike);
        RuntimeException e = assertThrows(RuntimeException.class, () -> report(behindProxy));
        assertTrue(!(e instanceof CommitUnconfirmedException), e.toString());

        assertTrue(fresh().resolve(id).isEmpty());
        assertRows(0);
        assertEquals(EnqueueResult.INSERTED, report(behindProxy));
        assertRows(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "CUT_WITHIN", "SWALLOW_REPLY"})
    void aClaimWhoseCommitIsLostSendsNothingAndTheLeaseDecides(Strike strike) throws SQLException {
        report(direct);
        Mark mark = proxy.next(MySqlProxy.COMMIT, strike);
        assertThrows(CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
        assertEquals(committed(strike) ? "OK" : "none", mark.answer());

        assertEquals(List.of(), platform.keys());
        assertEquals(committed(strike) ? OutboxState.SENDING : OutboxState.PENDING, row().state());
        assertEquals(committed(strike) ? 1 : 0, row().leaseEpoch());
        OutboxSender next = sender(direct);
        if (committed(strike)) {
            assertTrue(next.sendOnce(platform).isEmpty());
            OutboxRows.makeDue(database, id);
        }
        awaitUnlocked();
        next.sendOnce(platform);
        assertAcceptedOnce(committed(strike) ? 2 : 1);
        assertEquals(1, platform.keys().size());
    }

    @ParameterizedTest
    @MethodSource("strikesAtClaims")
    void aClaimThatLosesItsConnectionBeforeItsCommitTakesNothing(String sql, Strike strike) throws SQLException {
        report(direct);
        proxy.next(MySqlProxy.containing(sql), strike);
        assertThrows(OutboxStorageException.class, () -> sender(behindProxy).sendOnce(platform));

        assertEquals(List.of(), platform.keys());
        awaitUnlocked();
        sender(direct).sendOnce(platform);
        assertAcceptedOnce(1);
    }

    static Stream<Arguments> strikesAtClaims() {
        return Stream.of("SKIP LOCKED", "SET state = 'SENDING'")
                .flatMap(sql -> Stream.of(Strike.CUT_BEFORE, Strike.CUT_WITHIN, Strike.SWALLOW_REPLY)
                        .map(strike -> Arguments.of(sql, strike)));
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "CUT_WITHIN", "SWALLOW_REPLY"})
    void aConfirmationWhoseCommitIsLostIsFoundOrRepeated(Strike strike) throws SQLException {
        report(direct);
        Mark mark = proxy.next(MySqlProxy.COMMIT, 1, strike);
        CommitUnconfirmedException e = assertThrows(
                CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
        assertEquals(id, e.operationId().orElseThrow());
        assertEquals(committed(strike) ? "OK" : "none", mark.answer());

        assertEquals(committed(strike) ? OutboxState.ACCEPTED : OutboxState.SENDING, row().state());
        assertFoundOrRepeated(committed(strike));
    }

    @ParameterizedTest
    @MethodSource("strikesAtSettlements")
    void aConfirmationThatLosesItsConnectionBeforeItsCommitIsRepeated(String sql, Strike strike) throws SQLException {
        report(direct);
        proxy.next(MySqlProxy.containing(sql), strike);
        RuntimeException e =
                assertThrows(RuntimeException.class, () -> sender(behindProxy).sendOnce(platform));
        assertTrue(!(e instanceof CommitUnconfirmedException), e.toString());

        assertEquals(OutboxState.SENDING, row().state());
        assertFoundOrRepeated(false);
    }

    static Stream<Arguments> strikesAtSettlements() {
        return Stream.of("SET due_at = IF(", "update business_job")
                .flatMap(sql -> Stream.of(Strike.CUT_BEFORE, Strike.CUT_WITHIN, Strike.SWALLOW_REPLY)
                        .map(strike -> Arguments.of(sql, strike)));
    }

    @Test
    void aRetryWhoseCommitIsLostIsFoundOrRepeatedToo() throws SQLException {
        report(direct);
        StubPlatform failing = new StubPlatform(command -> {
            throw new IllegalStateException("no answer");
        });
        proxy.next(MySqlProxy.COMMIT, 1, Strike.SWALLOW_REPLY);
        assertThrows(CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(failing));
        assertEquals(OutboxState.PENDING, row().state());

        OutboxRows.makeDue(database, id);
        proxy.next(MySqlProxy.COMMIT, 1, Strike.CUT_BEFORE);
        assertThrows(CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(failing));
        assertEquals(OutboxState.SENDING, row().state());

        OutboxRows.makeDue(database, id);
        sender(direct).sendOnce(platform);
        assertAcceptedOnce(3);
    }

    @Test
    void aBusinessCommitThatArrivesAfterItsClientGaveUpIsWaitedForByResolve() throws Exception {
        EntityManagerFactory impatient =
                database.unit(database.poolThrough(proxy.port(), "socketTimeout=1000"), Map.of());
        try (Mark ghost = proxy.next(MySqlProxy.COMMIT, Strike.DELAY)) {
            assertThrows(CommitUnconfirmedException.class, () -> report(impatient));

            CompletableFuture<Optional<OutboxRecord>> resolved =
                    CompletableFuture.supplyAsync(() -> fresh().resolve(id));
            database.awaitLockWait();
            assertTrue(fresh().status(id).isEmpty());
            ghost.release();
            assertTrue(resolved.get(60, TimeUnit.SECONDS).isPresent());
        }
        assertRows(1);
    }

    @Test
    void aClaimThatArrivesAfterItsSenderGaveUpSendsNothingAndIsALease() throws Exception {
        report(direct);
        OutboxSender next = sender(direct);
        try (Mark ghost = proxy.next(MySqlProxy.COMMIT, Strike.DELAY)) {
            assertThrows(
                    CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
            assertTrue(next.sendOnce(platform).isEmpty(), "the ghost holds the row locked");
            ghost.release();
            ghost.awaitAnswer();
            assertEquals(OutboxState.SENDING, row().state());
        }
        assertTrue(next.sendOnce(platform).isEmpty());
        assertEquals(List.of(), platform.keys());

        OutboxRows.makeDue(database, id);
        next.sendOnce(platform);
        assertAcceptedOnce(2);
    }

    @Test
    void aConfirmationThatArrivesAfterItsSenderGaveUpIsOne() throws Exception {
        report(direct);
        try (Mark ghost = proxy.next(MySqlProxy.COMMIT, 1, Strike.DELAY)) {
            assertThrows(
                    CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
            assertEquals(OutboxState.SENDING, row().state());
            ghost.release();
            ghost.awaitAnswer();
            assertFoundOrRepeated(true);
        }
    }

    @Test
    void aCommitWhoseAnswerIsLateIsUnconfirmedAfterTheTransactionsTime() throws Exception {
        report(direct);
        try (Mark late = proxy.next(MySqlProxy.COMMIT, 1, Strike.HOLD_REPLY)) {
            assertThrows(
                    CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
            late.awaitAnswer();
        }
        assertFoundOrRepeated(true);
    }

    @Test
    void statementsPreparedOnTheServerAreStruckToo() throws Exception {
        EntityManagerFactory prepared = database.unit(
                database.poolThrough(proxy.port(), "useServerPrepStmts=true&cachePrepStmts=true"), Map.of());
        report(direct);
        proxy.next(MySqlProxy.containing("SET due_at = IF("), Strike.SWALLOW_REPLY);
        assertThrows(RuntimeException.class, () -> sender(prepared).sendOnce(platform));
        assertEquals(OutboxState.SENDING, row().state());
        assertFoundOrRepeated(false);
    }

    /** The server may not have noticed yet that a client has gone; until then claims skip what that client locked. */
    private static void awaitUnlocked() throws SQLException {
        database.rows("SELECT operation_id FROM sender_outbox FOR UPDATE");
    }

    /** A next sender repeats what was not stored, under the same key, and finds nothing to do where it was. */
    private void assertFoundOrRepeated(boolean committed) throws SQLException {
        OutboxSender next = sender(direct);
        assertTrue(next.sendOnce(platform).isEmpty(), "settled, or still leased");
        if (!committed) {
            OutboxRows.makeDue(database, id);
            next.sendOnce(platform);
        }
        assertAcceptedOnce(committed ? 1 : 2);
    }

    private void assertAcceptedOnce(int claims) throws SQLException {
        OutboxRecord row = row();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(claims, row.sendCount());
        assertEquals(claims, row.leaseEpoch());
        assertEquals(row.taskId(), database.value("SELECT task_id FROM business_job"));
        assertEquals(
                List.of(row.submissionKey()),
                platform.keys().stream().distinct().toList());
    }

    private void assertRows(int count) throws SQLException {
        assertEquals(Integer.toString(count), database.value("SELECT COUNT(*) FROM sender_outbox"));
        assertEquals(Integer.toString(count), database.value("SELECT COUNT(*) FROM business_job"));
    }

    private static boolean committed(Strike strike) {
        return strike == Strike.SWALLOW_REPLY;
    }

    private EnqueueResult report(EntityManagerFactory unit) {
        Outbox outbox = Requests.outbox(unit);
        return outbox.transactions().inTransaction(id, em -> {
            EnqueueResult result = outbox.enqueue(em, id, Requests.of("1"));
            if (result == EnqueueResult.INSERTED) {
                em.persist(new BusinessJob(id, id));
            }
            return result;
        });
    }

    private OutboxRecord row() {
        return fresh().status(id).orElseThrow();
    }

    private static Outbox fresh() {
        return Requests.outbox(direct);
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
