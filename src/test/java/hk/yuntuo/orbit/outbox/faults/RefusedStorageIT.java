package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.internal.send.Hints;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that refuses what it did before: the run ends or goes on as its options say, at its own pace, and an enqueue leaves nothing behind. */
class RefusedStorageIT extends SendingTest {
    private static final Duration RETRY_DELAY = Duration.ofMillis(200);

    private String user;
    /** Of a user whom a read-only server refuses. */
    private EntityManagerFactory plain;

    @BeforeAll
    void aUserWithoutPrivilegesOfAnAdministrator() throws SQLException {
        String name = database.schemaName();
        user = "'" + name + "'@'%'";
        database.update("CREATE USER " + user + " IDENTIFIED BY 'Aa1-" + name + "'");
        database.update("GRANT SELECT, INSERT, UPDATE ON sender_outbox TO " + user);
        database.update("GRANT SELECT, INSERT, UPDATE ON business_job TO " + user);
        plain = database.unit(database.poolOf(name, "Aa1-" + name, 10), Map.of());
    }

    @AfterAll
    void dropUser() throws SQLException {
        database.update("DROP USER " + user);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NO_ROOM_FOR_A_COMMAND")
    void withoutARetryDelayTheRunEndsAndTheNextOneLosesNothing(Refusal refusal) throws Exception {
        List<String> ids = enqueue(3);
        during(refusal, () -> {
            RunningSender run = start(plainSender(), QUICK);
            assertInstanceOf(OutboxStorageException.class, run.failure());
        });
        assertEquals(0, count(OutboxState.ACCEPTED));
        assertEquals(refusal.isMetBySettlements() ? 3 : 0, count(OutboxState.SENDING));

        expireLeases();
        RunningSender run = start(plainSender(), QUICK);
        awaitState(OutboxState.ACCEPTED, 3);
        run.stopWell();
        assertAllAcceptedWithOneTaskEach(ids);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NO_ROOM_FOR_A_COMMAND")
    void withARetryDelayTheRunGoesOnAtItsPaceAndLosesNothing(Refusal refusal) throws Exception {
        List<String> ids = enqueue(8);
        RunOptions options = RunOptions.builder()
                .concurrency(1)
                .pollInterval(Duration.ofMillis(20))
                .retryDelay(RETRY_DELAY)
                .build();
        OutboxSender sender = plainSender();
        try (StatementLog log = StatementLog.open(database)) {
            during(refusal, () -> {
                long begun = System.nanoTime();
                RunningSender run = start(sender, options);
                int claims = wakeUntilItHasClaimed(run, log, 4);
                long elapsed = System.nanoTime() - begun;
                run.assertGoingOn();
                assertTrue(claims <= elapsed / RETRY_DELAY.toNanos() + 2, claims + " claims in " + elapsed + " ns");
            });
        }
        expireLeases();
        awaitState(OutboxState.ACCEPTED, 8);
        assertAllAcceptedWithOneTaskEach(ids);
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_ONLY_SERVER", "TABLE_AWAY", "NO_PRIVILEGE_TO_WRITE", "NO_ROOM_FOR_A_COMMAND"})
    void anEnqueueThatIsRefusedCannotBeSwallowedLeavesNothingAndCanBeRepeated(Refusal refusal) throws Exception {
        Outbox refused = Requests.outbox(plain);
        String id = OperationId.next().value();
        during(refusal, () -> {
            OutboxStorageException e = assertThrows(OutboxStorageException.class, () -> report(refused, id));
            assertEquals(id, e.operationId().orElseThrow());
            assertThrows(
                    RuntimeException.class,
                    () -> refused.transactions().inTransaction(id, em -> {
                        assertThrows(OutboxStorageException.class, () -> refused.enqueue(em, id, Requests.of("1")));
                        em.persist(new BusinessJob(id, id));
                        return null;
                    }));
        });
        assertEquals("0", database.value("SELECT COUNT(*) FROM sender_outbox"));
        assertEquals("0", database.value("SELECT COUNT(*) FROM business_job"));
        assertEquals(EnqueueResult.INSERTED, report(refused, id));
        assertEquals("1", database.value("SELECT COUNT(*) FROM business_job"));
    }

    private static EnqueueResult report(Outbox outbox, String id) {
        return outbox.transactions().inTransaction(id, em -> {
            EnqueueResult result = outbox.enqueue(em, id, Requests.of("1"));
            em.persist(new BusinessJob(id, id));
            return result;
        });
    }

    private OutboxSender plainSender() {
        return sender(plain, SendingTest::link);
    }

    /** Woken all the time, as by commits of this process. */
    private int wakeUntilItHasClaimed(RunningSender run, StatementLog log, int times) throws SQLException {
        until("it does not claim", () -> {
            run.assertGoingOn();
            for (int i = 0; i < 1_000; i++) {
                Hints.wake(Requests.NAMESPACE, Requests.QUEUE);
            }
            return log.countContaining("SKIP LOCKED") >= times;
        });
        return log.countContaining("SKIP LOCKED");
    }

    private void during(Refusal refusal, Step step) throws Exception {
        database.update(refusal.impose(user));
        try {
            step.run();
        } finally {
            database.update(refusal.lift(user));
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws Exception;
    }
}
