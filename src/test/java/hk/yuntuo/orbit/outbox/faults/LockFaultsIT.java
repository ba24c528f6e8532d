package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.CapturedLog;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.testing.SubmissionOutcome;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks of others: a deadlock or a lock wait costs a try and never ends a run, not even one that ends at the first failure. */
class LockFaultsIT extends SendingTest {
    private Connection other;
    private CapturedLog log;

    @BeforeEach
    void anotherTransaction() throws SQLException {
        log = CapturedLog.of("hk.yuntuo.orbit.outbox.internal.send.SendLoop");
        other = database.connect();
        other.setAutoCommit(false);
    }

    @AfterEach
    void end() throws SQLException {
        other.close();
        log.close();
    }

    /** InnoDB's victim is the one that has changed less, so the other transaction changes a lot. */
    @Test
    void aDeadlockWithABusinessTransactionRunsTheConfirmationAgainAndSendsNothingAgain() throws Exception {
        List<String> ids = enqueue(2);
        String mine = ids.get(0);
        String theirs = ids.get(1);
        database.update("DELETE FROM sender_outbox WHERE operation_id = '" + theirs + "'");
        TestDatabase.execute(other, "UPDATE business_job SET note = 'first' WHERE operation_id = '" + theirs + "'");
        TestDatabase.execute(other, manyRows(500));
        CountDownLatch mineIsLocked = new CountDownLatch(1);
        CountDownLatch committed = new CountDownLatch(1);
        AtomicInteger confirmations = new AtomicInteger();
        long before = deadlocks();
        RunningSender run = start(
                sender(factory, (em, record, receipt) -> {
                    boolean first = confirmations.incrementAndGet() == 1;
                    if (!first) {
                        assertTrue(committed.await(30, TimeUnit.SECONDS));
                    }
                    setTask(em, mine, receipt.taskId());
                    mineIsLocked.countDown();
                    if (first) {
                        awaitLockWait();
                    }
                    setTask(em, theirs, "seen");
                }),
                QUICK);
        assertTrue(mineIsLocked.await(30, TimeUnit.SECONDS));
        TestDatabase.execute(other, "UPDATE business_job SET note = 'x' WHERE operation_id = '" + mine + "'");
        other.commit();
        committed.countDown();
        awaitState(OutboxState.ACCEPTED, 1);
        run.stopWell();

        assertEquals(before + 1, deadlocks());
        assertEquals(2, confirmations.get());
        assertEquals("x", database.value("SELECT note FROM business_job WHERE operation_id = '" + mine + "'"));
        assertEquals(row(mine).taskId(), taskOfJob(mine));
        assertEquals("seen", taskOfJob(theirs));
        assertEquals(1, row(mine).sendCount());
        assertEquals(1, simulator.submissions().size());
    }

    @Test
    void aCallbackThatMeetsALockIsSimplyRunAgain() throws Exception {
        enqueue(1);
        AtomicInteger runs = new AtomicInteger();
        TestDatabase.execute(other, "UPDATE business_job SET note = 'held'");
        OutboxRecord row = sender(factory, (em, record, receipt) -> {
                    if (runs.incrementAndGet() == 2) {
                        other.rollback();
                    }
                    link(em, record, receipt);
                    em.flush();
                })
                .sendOnce(platform)
                .orElseThrow();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(2, runs.get());
    }

    @Test
    void aSharedLockOnTheRowDelaysButDoesNotLoseTheReceipt() throws Exception {
        String id = enqueue(1).get(0);
        simulator.onAccepted(submission -> lock("SELECT 1 FROM sender_outbox FOR SHARE"));
        CompletableFuture<Void> release = CompletableFuture.runAsync(() -> {
            try {
                awaitLockWait();
                other.rollback();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertEquals(
                OutboxState.ACCEPTED, sender().sendOnce(platform).orElseThrow().state());
        release.get(30, TimeUnit.SECONDS);
        assertEquals(1, row(id).sendCount());
    }

    /** One row of the outbox and the business row of another command are held; a third is free. */
    @Test
    void locksThatOutlastASettlementLeaveItsRowUnderItsLeaseAndTheRunGoesOn() throws Exception {
        List<String> ids = enqueue(3);
        simulator.onAccepted(submission -> {
            boolean isFirst = submission.outcome() == SubmissionOutcome.ACCEPTED;
            if (isFirst && ("outbox-task-" + ids.get(0)).equals(submission.submissionKey())) {
                lock("SELECT 1 FROM sender_outbox WHERE namespace_id = 'ns-1' AND operation_id = '" + ids.get(0)
                        + "' FOR UPDATE");
            }
        });
        TestDatabase.execute(other, "UPDATE business_job SET note = 'x' WHERE operation_id = '" + ids.get(1) + "'");
        RunningSender run = start(sender(factory, SendingTest::link), QUICK);
        until("not both settlements were given up", () -> count("outbox.settle.lost") == 2);
        assertEquals(OutboxState.SENDING, row(ids.get(0)).state());
        assertEquals(OutboxState.SENDING, row(ids.get(1)).state());
        assertEquals(OutboxState.ACCEPTED, row(ids.get(2)).state());

        other.rollback();
        expireLeases();
        awaitState(OutboxState.ACCEPTED, 3);
        run.stopWell();
        assertTrue(isDeduplicated(row(ids.get(0))) && isDeduplicated(row(ids.get(1))));
        assertAllAcceptedWithOneTaskEach(ids);
    }

    @Test
    void aTableThatIsLockedIsWaitedForAndTheRunGoesOn() throws Exception {
        List<String> ids = enqueue(2);
        TestDatabase.execute(other, "LOCK TABLES sender_outbox WRITE");
        RunningSender run = start(sender(), QUICK);
        until("the claim was not given up", () -> count("outbox.claim.lost") > 0);
        TestDatabase.execute(other, "UNLOCK TABLES");
        awaitState(OutboxState.ACCEPTED, 2);
        run.stopWell();
        assertAllAcceptedWithOneTaskEach(ids);
    }

    private static void setTask(EntityManager em, String id, String taskId) {
        em.createQuery("update BusinessJob j set j.taskId = :task where j.operationId = :id")
                .setParameter("task", taskId)
                .setParameter("id", id)
                .executeUpdate();
    }

    private void lock(String sql) {
        try {
            TestDatabase.rows(other, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private long count(String event) {
        return log.lines().stream().filter(line -> line.contains(event)).count();
    }

    private void awaitLockWait() {
        until(
                "nobody waits",
                () -> !database.rows("SELECT 1 FROM performance_schema.data_locks"
                                + " WHERE lock_status = 'WAITING' AND object_schema = '" + database.schemaName() + "'")
                        .isEmpty());
    }

    private long deadlocks() throws SQLException {
        return Long.parseLong(database.value("SELECT count FROM information_schema.innodb_metrics"
                + " WHERE name = 'lock_deadlocks' AND status = 'enabled'"));
    }

    private static String manyRows(int count) {
        return "INSERT INTO business_job (operation_id, note) WITH RECURSIVE d AS"
                + " (SELECT 1 AS n UNION ALL SELECT n + 1 FROM d WHERE n < " + count + ")"
                + " SELECT CONCAT('row-', n), CONCAT('row-', n) FROM d";
    }
}
