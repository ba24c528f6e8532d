package hk.yuntuo.orbit.outbox.randomrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.randomrun.Ledger.Knowledge;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.process.CallbackTrace;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.RestartableServer;
import hk.yuntuo.orbit.outbox.testing.SubmissionOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Business transactions, sender processes, a platform and a server, with every fault there is, for as long as {@link RunPlan} says; then
 * the {@link Verdict}. docs/verification.md tells how to run it for longer.
 */
class RandomRunIT {
    private static final int BUSINESS_THREADS = 12;
    private static final long DRAIN_SECONDS = 300;

    private final RunPlan plan = RunPlan.fromSystemProperties();
    private final Tally tally = new Tally();
    private final Ledger ledger = new Ledger();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    @Test
    void whateverFailsEachCommittedOperationHasOneTaskAndNoOtherHasAny() throws Exception {
        RestartableServer server = RestartableServer.start().orElse(null);
        try {
            run(server);
        } finally {
            if (server != null) {
                server.close();
            }
        }
        assertEverythingHappened(server != null);
    }

    private void run(@Nullable RestartableServer server) throws Exception {
        WireFaults wire = new WireFaults("business", plan.choices("wire of business"), tally);
        try (TestDatabase database = server == null
                        ? TestDatabase.create("random_run")
                        : TestDatabase.create(server.createSchema("random_run"));
                MySqlProxy proxy = database.newProxy();
                OrbitSimulator simulator = OrbitSimulator.start()) {
            RowHistory history = new RowHistory(database);
            history.begin();
            CallbackTrace.createTable(database);
            OrbitCredentials credentials = simulator.issueCredential(
                    Requests.NAMESPACE, Requests.QUEUE, OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT);
            proxy.script(wire);
            HikariDataSource pool = database.poolThrough(proxy.port(), "", BUSINESS_THREADS);
            Outbox outbox = Requests.outbox(
                            database.unit(pool, List.of(BusinessJob.class, ReportedJob.class), Map.of()))
                    .bind();
            long start = System.nanoTime();
            try (Fleet fleet =
                    new Fleet(database, server, launch -> launch.platform(simulator.url(), credentials), plan, tally)) {
                CompletableFuture<Void> rage = CompletableFuture.runAsync(() -> rage(fleet));
                try {
                    business(outbox, new HttpFaults(simulator, plan.choices("http"), tally), rage);
                } finally {
                    wire.end();
                    fleet.calmDown();
                    rage.get(2, TimeUnit.MINUTES);
                }
                simulator.faults().clear();
                awaitNothingLeft(database);
                fleet.stop();
            }
            List<String> violations = Verdict.of(database, history, simulator, ledger, tally);
            violations.addAll(failures);
            countWhatCameOfIt(database, simulator);
            report(Duration.ofNanos(System.nanoTime() - start), database, simulator, violations);
            assertEquals(List.of(), violations);
        }
    }

    private void rage(Fleet fleet) {
        try {
            fleet.rage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Begins transactions at the plan's pace, and returns when the last has ended. */
    private void business(Outbox outbox, HttpFaults faults, CompletableFuture<Void> rage) throws InterruptedException {
        Business business = new Business(plan, outbox, ledger, tally);
        ExecutorService threads = Executors.newFixedThreadPool(BUSINESS_THREADS);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        AtomicInteger next = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(plan.transactions());
        clock.scheduleAtFixedRate(
                () -> {
                    int number = next.getAndIncrement();
                    if (number < plan.transactions()) {
                        threads.execute(() -> {
                            try {
                                faults.maybeArm();
                                business.transaction(number);
                            } catch (RuntimeException | Error e) {
                                failures.add("transaction " + number + " failed: " + e);
                            } finally {
                                all.countDown();
                            }
                        });
                    }
                },
                0,
                1_000_000 / plan.perSecond(),
                TimeUnit.MICROSECONDS);
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2L * plan.seconds() + 120);
            while (!all.await(1, TimeUnit.SECONDS)) {
                assertTrue(System.nanoTime() < end, () -> all.getCount() + " transactions did not end");
                if (rage.isCompletedExceptionally()) {
                    return; // To go on without faults would prove nothing; what ended them is told by the caller.
                }
            }
        } finally {
            clock.shutdownNow();
            threads.shutdownNow();
        }
    }

    /** A fault that was armed is not yet one that did harm. */
    private void countWhatCameOfIt(TestDatabase database, OrbitSimulator simulator) throws SQLException {
        tally.add(
                "lease taken over",
                Integer.parseInt(
                        database.value(
                                "SELECT COUNT(*) FROM outbox_change WHERE state_before = 'SENDING' AND state_after = 'SENDING'")));
        tally.add("submission deduplicated", (int) simulator.submissions().stream()
                .filter(submission -> submission.outcome() == SubmissionOutcome.DEDUPLICATED)
                .count());
    }

    private static void awaitNothingLeft(TestDatabase database) throws Exception {
        String left = "SELECT COUNT(*) FROM sender_outbox WHERE due_at IS NOT NULL";
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
        CountDownLatch never = new CountDownLatch(1);
        while (!database.value(left).equals("0")) {
            assertTrue(System.nanoTime() < end, () -> "rows are stuck");
            never.await(200, TimeUnit.MILLISECONDS);
        }
    }

    /** A run in which nothing went wrong would prove nothing. */
    private void assertEverythingHappened(boolean mayKillTheServer) {
        assertTrue(!mayKillTheServer || tally.of("server killed") > 0);
        for (String what : List.of(
                "report INSERTED",
                "re-report DUPLICATE",
                "re-report DUPLICATE by a persisted source",
                "conflict",
                "unconfirmed",
                "rolled back by IllegalStateException",
                "business COMMIT SWALLOW_REPLY",
                "business COMMIT CUT_BEFORE",
                "business COMMIT CUT_WITHIN",
                "sender COMMIT SWALLOW_REPLY",
                "sender COMMIT CUT_BEFORE",
                "HTTP acceptThenDrop",
                "HTTP acceptThenHalfBody",
                "HTTP for review AUTHORIZATION",
                "HTTP for review IDEMPOTENCY_CONFLICT",
                "HTTP for review HTTP_REJECTED",
                "HTTP for review INVALID_RECEIPT",
                "process killed",
                "process stalled longer than a lease",
                "receipt of a lost lease refused",
                "lease taken over",
                "submission deduplicated")) {
            assertTrue(tally.of(what) > 0, () -> what + " did not happen: " + tally.all());
        }
    }

    private void report(Duration took, TestDatabase database, OrbitSimulator simulator, List<String> violations)
            throws SQLException, IOException {
        StringBuilder text =
                new StringBuilder(plan + "\n" + took.toSeconds() + " s in all, " + violations.size() + " violations\n");
        text.append(ledger.those(Knowledge.COMMITTED).size())
                .append(" operations known to be committed, ")
                .append(ledger.those(Knowledge.UNKNOWN).size())
                .append(" not asked for, ")
                .append(ledger.those(Knowledge.ABSENT).size())
                .append(" never committed\n");
        text.append(simulator.tasks().size())
                .append(" tasks, ")
                .append(simulator.submissions().size())
                .append(" submissions\n");
        for (String line : database.rows("SELECT state, result_code, COUNT(*), SUM(send_count), MAX(send_count)"
                + " FROM sender_outbox GROUP BY 1, 2 ORDER BY 1, 2")) {
            text.append("state, code, rows, claims, most claims of a row: ")
                    .append(line)
                    .append('\n');
        }
        tally.all()
                .forEach((what, count) ->
                        text.append(count).append(" x ").append(what).append('\n'));
        violations.stream()
                .limit(50)
                .forEach(line -> text.append("VIOLATION ").append(line).append('\n'));
        System.out.println(text);
        Files.writeString(Path.of("target", "random-run.txt"), text);
    }
}
