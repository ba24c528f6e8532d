package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.CapturedLog;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions that the server's administrator kills, at stated points and again and again. */
class KilledConnectionsIT extends SendingTest {
    private static final int ROWS = 100;
    private static final RunOptions OFTEN = RunOptions.builder()
            .pollInterval(Duration.ofMillis(10))
            .retryDelay(Duration.ofMillis(10))
            .concurrency(4)
            .build();

    private HikariDataSource pool;

    /** A pool with the killed sessions of another test would fail this one's preparations. */
    @BeforeEach
    void aFreshPool() {
        pool = database.pool("", 10);
        factory = database.unit(pool, Map.of());
        outbox = Requests.outbox(factory);
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    void aSessionKilledUnderTheCallbackEndsTheRunWithNothingConfirmed() throws Exception {
        List<String> ids = enqueue(1);
        RunningSender run = start(
                sender(factory, (em, record, receipt) -> {
                    link(em, record, receipt);
                    kill(em);
                    em.flush();
                }),
                QUICK);
        assertInstanceOf(AcceptanceException.class, run.failure());
        assertNothingConfirmed(ids.get(0));
        assertConfirmedByTheNextSend(ids);
    }

    @Test
    void aSessionKilledBetweenTheCallbackAndTheCommitEndsTheRunWithNothingConfirmed() throws Exception {
        List<String> ids = enqueue(1);
        RunningSender run = start(
                sender(factory, (em, record, receipt) -> {
                    link(em, record, receipt);
                    em.flush();
                    kill(em);
                }),
                QUICK);
        assertInstanceOf(OutboxStorageException.class, run.failure());
        assertNothingConfirmed(ids.get(0));
        assertConfirmedByTheNextSend(ids);
    }

    /** Every third confirmation kills its own session; all of them are killed until ten claims have failed of it. */
    @Test
    void whileSessionsAreKilledAgainAndAgainTheRunGoesOnAndLosesNothing() throws Exception {
        List<String> ids = enqueue(ROWS);
        AtomicInteger confirmations = new AtomicInteger();
        OutboxSender sender = sender(factory, (em, record, receipt) -> {
            link(em, record, receipt);
            if (confirmations.incrementAndGet() % 3 == 0) {
                kill(em);
            }
        });
        try (CapturedLog log = CapturedLog.of("hk.yuntuo.orbit.outbox.internal.send.SendLoop")) {
            RunningSender run = start(sender, OFTEN);
            until("the claims do not fail", () -> {
                killAll();
                expireForgottenLeases();
                return count(log, "outbox.claim.failed") >= 10;
            });
            until("not all accepted", () -> {
                expireForgottenLeases();
                return count(OutboxState.ACCEPTED) == ROWS;
            });
            run.stopWell();
            assertTrue(count(log, "outbox.settle.failed") >= ROWS / 4, log.lines()::toString);
        }
        assertAllAcceptedWithOneTaskEach(ids);
        assertEquals(
                Integer.toString(ROWS),
                database.value("SELECT COUNT(*) FROM business_job JOIN sender_outbox USING (operation_id, task_id)"));
    }

    @ParameterizedTest(name = "{0} of the enqueue")
    @ValueSource(strings = {"in front", "after"})
    void aSessionKilledInABusinessTransactionLeavesNothingOfIt(String place) throws SQLException {
        String id = OperationId.next().value();
        boolean before = place.equals("in front");
        OutboxException e = assertThrows(
                OutboxException.class,
                () -> outbox.transactions().inTransaction(id, em -> {
                    em.persist(new BusinessJob(id, id));
                    if (before) {
                        em.flush();
                        kill(em);
                    }
                    outbox.enqueue(em, id, Requests.of("1"));
                    em.flush();
                    kill(em);
                    return null;
                }));
        assertEquals(before ? OutboxStorageException.class : CommitUnconfirmedException.class, e.getClass());
        assertEquals(id, e.operationId().orElseThrow());
        assertTrue(outbox.resolve(id).isEmpty());
        assertEquals("0", database.value("SELECT COUNT(*) FROM business_job"));

        assertEquals(
                EnqueueResult.INSERTED,
                outbox.transactions().inTransaction(id, em -> outbox.enqueue(em, id, Requests.of("1"))));
    }

    /** Those of rows that are hardly under way any more: each claim of a row costs one of its hundred. */
    private void expireForgottenLeases() throws SQLException {
        database.update("UPDATE sender_outbox SET due_at = UTC_TIMESTAMP(6)"
                + " WHERE state = 'SENDING' AND updated_at < UTC_TIMESTAMP(6) - INTERVAL 500000 MICROSECOND");
    }

    private void assertNothingConfirmed(String id) throws SQLException {
        assertEquals(OutboxState.SENDING, row(id).state());
        assertEquals(null, taskOfJob(id));
    }

    private void assertConfirmedByTheNextSend(List<String> ids) throws SQLException {
        expireLeases();
        OutboxSender sender = sender(factory, SendingTest::link);
        assertTrue(isDeduplicated(sender.sendOnce(platform).orElseThrow()));
        assertAllAcceptedWithOneTaskEach(ids);
    }

    private void kill(EntityManager em) {
        try {
            database.update("KILL " + StatementLog.connectionId(em));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** But the one that kills. */
    private void killAll() throws SQLException {
        for (String session : database.rows("SELECT id FROM performance_schema.processlist WHERE db = '"
                + database.schemaName() + "' AND id <> CONNECTION_ID()")) {
            try {
                database.update("KILL " + session);
            } catch (SQLException gone) {
                // It has ended by itself meanwhile.
            }
        }
    }

    private static long count(CapturedLog log, String event) {
        return log.lines().stream().filter(line -> line.contains(event)).count();
    }
}
