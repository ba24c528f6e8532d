package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.support.process.ProcessSetting;
import hk.yuntuo.orbit.outbox.support.process.SenderMain;
import hk.yuntuo.orbit.outbox.support.process.SenderProcess;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.SimulatedTask;
import hk.yuntuo.orbit.outbox.testing.Submission;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Many senders, in threads and in processes, share a queue: a claim is one sender's, and every submission is that of one claim. */
class ManySendersIT {
    private static final int ROWS = 20_000;
    private static final int THREADS = 16;

    @Test
    void eightSendersInTwoProcessesSendTwentyRowsOnceEach() throws Exception {
        try (ProcessScene scene = ProcessScene.open("many");
                SenderProcess one = fourSenders(scene);
                SenderProcess other = fourSenders(scene)) {
            one.awaitReady();
            other.awaitReady();
            List<String> ids = scene.enqueueTogether(20);
            scene.awaitRows(20, "state = 'ACCEPTED'");
            stop(one);
            stop(other);
            assertEverySubmissionWasThatOfOneClaim(scene);
            for (String id : ids) {
                scene.assertAccepted(id, 1);
            }
        }
    }

    @Test
    void sixteenThreadsAndThreeProcessesSendTwentyThousandRows() throws Exception {
        try (ProcessScene scene = ProcessScene.open("many");
                SenderProcess one = sixteenDeliveries(scene);
                SenderProcess two = sixteenDeliveries(scene);
                SenderProcess three = sixteenDeliveries(scene)) {
            Stream.of(one, two, three).forEach(SenderProcess::awaitReady);
            CountDownLatch underWay = untilAllAreAtWork(scene, THREADS + 3 * 16);
            int lost = loseSomeAnswers(scene);
            try (SendingThreads threads = SendingThreads.start(scene)) {
                IntStream.range(0, ROWS / 500).parallel().forEach(i -> scene.enqueueCommands(500));
                scene.awaitRows(ROWS, "state = 'ACCEPTED'");
                threads.join();
            }
            Stream.of(one, two, three).forEach(ManySendersIT::stop);
            assertEquals(0, underWay.getCount());
            assertEquals(ROWS, scene.platform().tasks().size());
            // More, if an exchange took longer than its time on a busy machine; each is that of a claim all the same.
            assertTrue(scene.platform().submissions().size() >= ROWS + lost);
            assertEverySubmissionWasThatOfOneClaim(scene);
        }
    }

    private static SenderProcess fourSenders(ProcessScene scene) {
        return scene.sender()
                .with(ProcessSetting.SENDERS, 4)
                .with(ProcessSetting.CONCURRENCY, 4)
                .start();
    }

    private static SenderProcess sixteenDeliveries(ProcessScene scene) {
        return scene.sender()
                .with(ProcessSetting.CONCURRENCY, 16)
                .with(ProcessSetting.CALLBACK, "NONE")
                .start();
    }

    /** The first acceptances wait for each other, and are as many as the threads and the processes can have under way together. */
    private static CountDownLatch untilAllAreAtWork(ProcessScene scene, int count) {
        CountDownLatch underWay = new CountDownLatch(count);
        scene.platform().onAccepted(submission -> {
            underWay.countDown();
            ProcessScene.await(underWay);
        });
        return underWay;
    }

    /** So that rows are claimed more than once; returns how many submissions it spoils. */
    private static int loseSomeAnswers(ProcessScene scene) {
        for (int i = 0; i < 200; i++) {
            scene.platform().faults().next(Fault.acceptThenDrop(), Fault.status(503), Fault.dropBeforeAccepting());
        }
        return 600;
    }

    private static void stop(SenderProcess sender) {
        sender.terminate();
        assertEquals(
                SenderMain.EXIT_STOPPED,
                sender.awaitExit(),
                () -> sender.output().toString());
    }

    /** Each claim has raised the epoch by one and led to one submission under the row's own key, and all of them to one task. */
    private static void assertEverySubmissionWasThatOfOneClaim(ProcessScene scene) throws SQLException {
        Map<String, String> platform = new TreeMap<>();
        Map<String, Long> submissions = scene.platform().submissions().stream()
                .collect(Collectors.groupingBy(Submission::submissionKey, Collectors.counting()));
        for (SimulatedTask task : scene.platform().tasks()) {
            long sends = submissions.get(task.submissionKey());
            String row = "ACCEPTED|" + sends + "|" + sends + "|" + task.taskId();
            assertEquals(null, platform.put(task.submissionKey(), row), "a second task under one key");
        }
        assertEquals(platform.keySet(), submissions.keySet());
        Map<String, String> rows = new TreeMap<>();
        for (String row : scene.database()
                .rows("SELECT submission_key, state, send_count, lease_epoch, task_id FROM sender_outbox")) {
            String[] keyAndRest = row.split("\\|", 2);
            rows.put(keyAndRest[0], keyAndRest[1]);
        }
        assertEquals(platform, rows);
    }

    /** Senders of this process, each with a thread that delivers one row after another. */
    private record SendingThreads(ExecutorService pool, List<OutboxSender> senders, CompletableFuture<Void> runs)
            implements AutoCloseable {
        static SendingThreads start(ProcessScene scene) {
            ExecutorService pool = Executors.newFixedThreadPool(THREADS);
            TaskPlatform platform = scene.client();
            RunOptions options = RunOptions.builder()
                    .concurrency(1)
                    .pollInterval(Duration.ofMillis(50))
                    .build();
            List<OutboxSender> senders = IntStream.range(0, THREADS)
                    .mapToObj(i -> scene.localSender())
                    .toList();
            CompletableFuture<?>[] runs = senders.stream()
                    .map(sender -> CompletableFuture.runAsync(() -> sender.run(platform, options), pool))
                    .toArray(CompletableFuture[]::new);
            return new SendingThreads(pool, senders, CompletableFuture.allOf(runs));
        }

        void join() throws Exception {
            senders.forEach(OutboxSender::stop);
            runs.get(60, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            senders.forEach(OutboxSender::stop);
            pool.shutdown();
        }
    }
}
