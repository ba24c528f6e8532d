package hk.yuntuo.orbit.outbox.randomrun;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.process.ProcessSetting;
import hk.yuntuo.orbit.outbox.support.process.SenderMain;
import hk.yuntuo.orbit.outbox.support.process.SenderProcess;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.testing.RestartableServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The sender processes, each behind a proxy of its own, and what befalls them: they and their server are killed,
 * stalled, stopped and started again.
 */
final class Fleet implements AutoCloseable {
    private final TestDatabase database;
    private final @Nullable RestartableServer server;
    private final UnaryOperator<SenderProcess.Launch> platform;
    private final Random random;
    private final Tally tally;
    private final List<MySqlProxy> proxies = new ArrayList<>();
    private final List<WireFaults> wires = new ArrayList<>();
    private final List<SenderProcess> processes = new ArrayList<>();
    /** Gets a receipt and sleeps on it until all is over. */
    private final SenderProcess overtaken;

    private final CountDownLatch calm = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);
    /** The processes that are stalled for longer than a lease; nothing else befalls them meanwhile. */
    private final Set<SenderProcess> outlasting = ConcurrentHashMap.newKeySet();

    private final List<Thread> wakers = new ArrayList<>();

    /** The server is killed as well, if there is one to be killed. */
    Fleet(
            TestDatabase database,
            @Nullable RestartableServer server,
            UnaryOperator<SenderProcess.Launch> platform,
            RunPlan plan,
            Tally tally) {
        this.database = database;
        this.server = server;
        this.platform = platform;
        this.random = plan.choices("fleet");
        this.tally = tally;
        for (int i = 0; i < plan.senders(); i++) {
            WireFaults wire = new WireFaults("sender", plan.choices("wire of sender " + i), tally);
            MySqlProxy proxy = database.newProxy();
            proxy.script(wire);
            wires.add(wire);
            proxies.add(proxy);
            processes.add(launch(i));
        }
        overtaken = launchOf(0)
                .with(ProcessSetting.CONCURRENCY, 1)
                .with(ProcessSetting.PAUSE, "")
                .start();
        processes.forEach(SenderProcess::awaitReady);
    }

    private SenderProcess launch(int index) {
        return launchOf(index).start();
    }

    private SenderProcess.Launch launchOf(int index) {
        return platform.apply(
                        SenderProcess.on(database).through(proxies.get(index).port()))
                .with(ProcessSetting.CONCURRENCY, 8)
                .with(ProcessSetting.CALLBACK, "TRACE")
                .with(ProcessSetting.SHUTDOWN_TIMEOUT, 60_000)
                .with(ProcessSetting.RETRY_DELAY, 100);
    }

    /** Until calm is asked for. In every run one is stalled for longer than a lease, one is killed, and so is the server. */
    void rage() throws InterruptedException {
        overtaken.awaitOutput(SenderMain.PAUSED);
        overtaken.stall();
        stall(0, 33_000);
        kill(1);
        calm.await(4, TimeUnit.SECONDS);
        killServer();
        while (!calm.await(500 + random.nextInt(2_500), TimeUnit.MILLISECONDS)) {
            startAgainWhatCouldNotStart();
            int index = random.nextInt(processes.size());
            int what = random.nextInt(100);
            if (what < 40) {
                kill(index);
            } else if (what < 70) {
                stall(index, 200 + random.nextInt(3_000));
            } else if (what < 72) {
                stall(index, 31_000 + random.nextInt(5_000));
            } else if (what < 80) {
                restart(index);
            } else if (what < 82) {
                killServer();
            } else {
                killConnection();
            }
        }
    }

    /** A process that boots while the server is away ends, as a service would; one that ends later, without being asked, is a failure. */
    private void startAgainWhatCouldNotStart() {
        for (int i = 0; i < processes.size(); i++) {
            SenderProcess process = processes.get(i);
            if (!process.isAlive()) {
                List<String> output = process.output();
                if (output.contains(SenderMain.READY)) {
                    throw new AssertionError("a sender ended by itself: " + output);
                }
                tally.count("process could not start");
                processes.set(i, launch(i));
            }
        }
    }

    private static boolean isReady(SenderProcess process) {
        try {
            process.awaitReady();
            return true;
        } catch (AssertionError e) {
            if (process.isAlive()) {
                throw e;
            }
            return false;
        }
    }

    private void kill(int index) {
        if (outlasting.contains(processes.get(index))) {
            return;
        }
        tally.count("process killed");
        processes.get(index).kill();
        processes.set(index, launch(index));
    }

    /** The others go on meanwhile; so does this thread. */
    private void stall(int index, int millis) {
        SenderProcess process = processes.get(index);
        if (process.isStalled() || !isReady(process)) {
            return;
        }
        boolean outlastsLease = millis > 30_000;
        if (outlastsLease) {
            outlasting.add(process);
        }
        process.stall();
        Thread waker = new Thread(
                () -> {
                    wakeAfter(process, millis, outlastsLease ? never : calm);
                    tally.count(outlastsLease ? "process stalled longer than a lease" : "process stalled");
                },
                "waker");
        waker.setDaemon(true);
        waker.start();
        wakers.add(waker);
    }

    private void wakeAfter(SenderProcess process, int millis, CountDownLatch orWhen) {
        try {
            orWhen.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.wake();
        outlasting.remove(process);
    }

    private void restart(int index) {
        SenderProcess process = processes.get(index);
        if (outlasting.contains(process)) {
            return;
        }
        process.wake();
        // Before that it does not listen to the signal.
        if (!isReady(process)) {
            return;
        }
        tally.count("process asked to stop");
        process.terminate();
        assertEquals(0, process.awaitExit(), () -> "exit code; " + process.output());
        processes.set(index, launch(index));
    }

    private void killServer() {
        if (server != null) {
            tally.count("server killed");
            server.kill();
            server.startAgain();
        }
    }

    private void killConnection() {
        try {
            List<String> ids = database.rows("SELECT id FROM information_schema.processlist WHERE db = '"
                    + database.schemaName() + "' AND id <> CONNECTION_ID()");
            if (!ids.isEmpty()) {
                database.update("KILL " + ids.get(random.nextInt(ids.size())));
                tally.count("connection killed");
            }
        } catch (SQLException e) {
            tally.count("connection gone before it was killed");
        }
    }

    /** From now on nothing befalls anybody; what slept wakes, or does so when it has outlasted its leases. */
    void calmDown() {
        wires.forEach(WireFaults::end);
        calm.countDown();
    }

    /** When all are awake, asks them to stop, which they must do well. */
    void stop() throws InterruptedException {
        for (Thread waker : wakers) {
            waker.join();
        }
        refuseTheOvertaken();
        while (!processes.stream().allMatch(Fleet::isReady)) {
            startAgainWhatCouldNotStart();
        }
        processes.forEach(SenderProcess::terminate);
        processes.forEach(process -> assertEquals(0, process.awaitExit(), () -> "exit code; " + process.output()));
    }

    /** Nothing is left to do, so another has settled the row that it still thinks to be its own. */
    private void refuseTheOvertaken() {
        overtaken.wake();
        overtaken.proceed();
        overtaken.awaitOutput("outbox.settle.lost");
        tally.count("receipt of a lost lease refused");
        overtaken.kill();
    }

    @Override
    public void close() {
        overtaken.close();
        processes.forEach(SenderProcess::close);
        proxies.forEach(MySqlProxy::close);
    }
}
