package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.testing.SubmissionOutcome;
import jakarta.persistence.FlushModeType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.AssertionFailedError;

/** Callbacks that fail: the confirmation is all or nothing, and the receipt comes again at the next send. */
class CallbackFaultsIT extends SendingTest {
    @BeforeEach
    void prepare() throws SQLException {
        Poison.prepare(database);
    }

    @ParameterizedTest
    @EnumSource
    void aFailureEndsTheRunWithNothingConfirmedAndTheNextSendBringsTheReceiptAgain(Poison poison) throws SQLException {
        String id = enqueue(1).get(0);
        RunningSender run = start(sender(factory, poison), QUICK);
        AcceptanceException e = assertInstanceOf(AcceptanceException.class, run.failure());
        assertEquals(id, e.operationId().orElseThrow());
        assertFalse(
                e.getCause() instanceof AssertionFailedError, () -> "not the failure that was meant: " + e.getCause());
        assertNothingConfirmed(id);

        OutboxRows.makeDue(database, id);
        sender(factory, SendingTest::link).sendOnce(platform).orElseThrow();
        assertConfirmedBySecondSend(id);
        assertAllAcceptedWithOneTaskEach(List.of(id));
    }

    @Test
    void aRunWithARetryDelayGoesOnAfterFailuresOfEveryKind() throws Exception {
        Poison[] poisons = Poison.values();
        List<String> ids = enqueue(poisons.length);
        Set<String> failed = ConcurrentHashMap.newKeySet();
        OutboxSender sender = sender(factory, (em, record, receipt) -> {
            if (failed.add(record.operationId())) {
                poisons[ids.indexOf(record.operationId())].accepted(em, record, receipt);
            }
            link(em, record, receipt);
        });
        RunningSender run = start(sender, PATIENT);
        until("not every callback failed", () -> failed.size() == poisons.length);
        awaitUnlocked();
        for (String id : ids) {
            assertNothingConfirmed(id);
        }
        expireLeases();
        awaitState(OutboxState.ACCEPTED, poisons.length);
        run.stopWell();
        for (String id : ids) {
            assertConfirmedBySecondSend(id);
        }
        assertAllAcceptedWithOneTaskEach(ids);
    }

    /** Five seconds are a transaction's time, whether the callback spends them in one statement, in several, or in none. */
    @Test
    void aCallbackThatTakesLongerThanFiveSecondsIsRolledBack() throws SQLException {
        List<OnAccepted> slow = List.of(
                (em, record, receipt) ->
                        em.createNativeQuery("SELECT SLEEP(20)", Integer.class).getSingleResult(),
                (em, record, receipt) -> em.unwrap(Session.class).doWork(connection -> {
                    TestDatabase.rows(connection, "SELECT SLEEP(1)");
                    TestDatabase.rows(connection, "SELECT SLEEP(20)");
                }),
                (em, record, receipt) -> new CountDownLatch(1).await(5_100, TimeUnit.MILLISECONDS));
        List<String> ids = enqueue(slow.size());
        OutboxSender sender = sender(factory, (em, record, receipt) -> {
            link(em, record, receipt);
            em.flush();
            slow.get(ids.indexOf(record.operationId())).accepted(em, record, receipt);
        });
        List<CompletableFuture<Duration>> sends = Stream.generate(() ->
                        CompletableFuture.supplyAsync(() -> timeOfFailure(sender), task -> new Thread(task).start()))
                .limit(slow.size())
                .toList();
        for (CompletableFuture<Duration> send : sends) {
            Duration took = send.join();
            assertTrue(took.compareTo(Duration.ofSeconds(9)) < 0, took.toString());
        }
        awaitUnlocked();
        for (String id : ids) {
            assertNothingConfirmed(id);
        }
    }

    private Duration timeOfFailure(OutboxSender sender) {
        long start = System.nanoTime();
        assertThrows(AcceptanceException.class, () -> sender.sendOnce(platform));
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void whatACallbackDoesToItsPersistenceContextDoesNotReachTheOutboxRow() throws SQLException {
        List<OnAccepted> tricks = List.of(
                (em, record, receipt) -> {
                    link(em, record, receipt);
                    em.flush();
                    em.clear();
                },
                (em, record, receipt) -> {
                    em.setFlushMode(FlushModeType.COMMIT);
                    link(em, record, receipt);
                },
                (em, record, receipt) -> {
                    em.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
                    link(em, record, receipt);
                });
        for (OnAccepted trick : tricks) {
            String id = enqueue(1).get(0);
            OutboxRecord row = sender(factory, trick).sendOnce(platform).orElseThrow();
            assertEquals(OutboxState.ACCEPTED, row.state());
            assertEquals(row.taskId(), taskOfJob(id));
        }
    }

    @Test
    void aClearedChangeIsTheCallbacksOwnLossAndNotTheReceipts() throws SQLException {
        String id = enqueue(1).get(0);
        OutboxRecord row = sender(factory, (em, record, receipt) -> {
                    link(em, record, receipt);
                    em.clear();
                })
                .sendOnce(platform)
                .orElseThrow();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertNull(taskOfJob(id));
    }

    /** Waits for the end of the transactions that hold a row. */
    private void awaitUnlocked() throws SQLException {
        database.rows("SELECT operation_id FROM sender_outbox FOR SHARE");
    }

    private void assertNothingConfirmed(String id) throws SQLException {
        assertEquals(
                "0", database.value("SELECT COUNT(*) FROM business_job WHERE note = 'more-" + id.substring(5) + "'"));
        OutboxRecord row = row(id);
        assertEquals(OutboxState.SENDING, row.state());
        assertNull(row.receiptJson());
        assertEquals(1, row.leaseEpoch());
        assertNull(taskOfJob(id));
    }

    private void assertConfirmedBySecondSend(String id) throws SQLException {
        OutboxRecord row = row(id);
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(2, row.sendCount());
        assertTrue(isDeduplicated(row), row.receiptJson());
        assertEquals(row.taskId(), taskOfJob(id));
        assertEquals(
                List.of(SubmissionOutcome.ACCEPTED, SubmissionOutcome.DEDUPLICATED),
                simulator.submissions().stream()
                        .filter(submission -> ("outbox-task-" + id).equals(submission.submissionKey()))
                        .map(submission -> submission.outcome())
                        .toList());
    }
}
