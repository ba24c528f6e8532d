package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ShutdownTimeoutException;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.Fault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The end of a run: by a stop or an interrupt, with deliveries in flight and with a platform that hangs. */
class StopIT extends SendingTest {
    @Test
    void aStoppedSenderRunsNoMore() throws Exception {
        enqueue(1);
        OutboxSender sender = sender();
        sender.stop();
        start(sender, QUICK).awaitEnd();
        assertEquals(0, simulator.submissions().size());
        assertEquals(
                OutboxState.ACCEPTED, sender.sendOnce(platform).orElseThrow().state());
    }

    @Test
    void aStopWaitsForWhatIsInFlight() throws Exception {
        enqueue(5);
        CountDownLatch release = new CountDownLatch(1);
        for (int i = 0; i < 5; i++) {
            simulator.faults().next(Fault.waitBeforeAccepting(release));
        }
        OutboxSender sender = sender();
        RunningSender run = start(
                sender,
                RunOptions.builder()
                        .concurrency(5)
                        .retryDelay(Duration.ofMillis(50))
                        .build());
        until("not all are in flight", () -> simulator.submissions().size() == 5);
        enqueue(1);
        sender.stop();
        assertTrue(run.isGoingOnFor(Duration.ofMillis(300)));
        release.countDown();
        run.awaitEnd();
        assertEquals(5, count(OutboxState.ACCEPTED));
        assertEquals(1, count(OutboxState.PENDING));
    }

    @Test
    void aStopPastItsLimitSaysSoAndTheRowStaysUnderItsLease() throws Exception {
        enqueue(1);
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        TaskPlatform hanging = new StubPlatform(command -> {
            arrived.countDown();
            awaitDeaf(release);
            return StubPlatform.receipt(command);
        });
        OutboxSender sender = sender();
        try {
            RunningSender run = start(
                    sender,
                    hanging,
                    RunOptions.builder()
                            .retryDelay(Duration.ofMillis(50))
                            .shutdownTimeout(Duration.ofMillis(100))
                            .build());
            assertTrue(arrived.await(30, TimeUnit.SECONDS));
            sender.stop();
            assertInstanceOf(ShutdownTimeoutException.class, run.failure());
            assertEquals(1, count(OutboxState.SENDING));
        } finally {
            release.countDown();
        }
        awaitState(OutboxState.ACCEPTED, 1);
    }

    @Test
    void aDeliveryThatIsGivenUpIsNotSettledForThat() throws Exception {
        String id = enqueue(1).get(0);
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        TaskPlatform hanging = new StubPlatform(command -> {
            arrived.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("interrupted");
        });
        OutboxSender sender = sender();
        RunningSender run = start(
                sender,
                hanging,
                RunOptions.builder().shutdownTimeout(Duration.ofMillis(100)).build());
        assertTrue(arrived.await(30, TimeUnit.SECONDS));
        sender.stop();
        assertInstanceOf(ShutdownTimeoutException.class, run.failure());
        until(
                "the delivery goes on",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("orbit-outbox-")));
        assertEquals(OutboxState.SENDING, row(id).state());
        assertNull(row(id).resultCode());
    }

    @Test
    void anInterruptEndsTheRunAndIsKept() throws Exception {
        CompletableFuture<Boolean> kept = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            sender().run(
                            platform,
                            RunOptions.builder()
                                    .pollInterval(Duration.ofSeconds(10))
                                    .retryDelay(Duration.ofMillis(50))
                                    .build());
            kept.complete(Thread.currentThread().isInterrupted());
        });
        thread.start();
        enqueue(1);
        awaitState(OutboxState.ACCEPTED, 1);
        thread.interrupt();
        assertTrue(kept.get(30, TimeUnit.SECONDS));
    }

    /** A platform that does not hear interrupts. */
    private static void awaitDeaf(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // Deaf.
            }
        }
    }
}
