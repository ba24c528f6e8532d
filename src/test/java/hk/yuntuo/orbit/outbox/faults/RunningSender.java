package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A sender that runs on a thread of its own. */
final class RunningSender implements AutoCloseable {
    private static final long END_SECONDS = 60;

    private final OutboxSender sender;
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    private RunningSender(OutboxSender sender) {
        this.sender = sender;
    }

    static RunningSender start(OutboxSender sender, TaskPlatform platform, RunOptions options) {
        RunningSender running = new RunningSender(sender);
        Thread thread = new Thread(() -> running.run(platform, options), "running-sender");
        thread.setDaemon(true);
        thread.start();
        return running;
    }

    private void run(TaskPlatform platform, RunOptions options) {
        try {
            sender.run(platform, options);
            end.complete(null);
        } catch (Throwable e) {
            end.completeExceptionally(e);
        }
    }

    /** What the run ends with by itself. */
    Throwable failure() {
        return assertThrows(ExecutionException.class, () -> end.get(END_SECONDS, TimeUnit.SECONDS))
                .getCause();
    }

    /** Fails if it has ended by itself. */
    void assertGoingOn() {
        assertFalse(end.isDone(), () -> "the run has ended: " + end);
    }

    boolean isGoingOnFor(Duration time) throws InterruptedException, ExecutionException {
        try {
            end.get(time.toNanos(), TimeUnit.NANOSECONDS);
            return false;
        } catch (TimeoutException e) {
            return true;
        }
    }

    /** It must end well. */
    void awaitEnd() throws InterruptedException, ExecutionException, TimeoutException {
        end.get(END_SECONDS, TimeUnit.SECONDS);
    }

    /** Stops it; it must have been going on and end well. */
    void stopWell() throws InterruptedException, ExecutionException, TimeoutException {
        assertGoingOn();
        sender.stop();
        awaitEnd();
    }

    /** Whether it goes on, or how it has ended. */
    @Override
    public String toString() {
        return end.toString();
    }

    @Override
    public void close() {
        sender.stop();
        end.handle((done, failure) -> done)
                .orTimeout(END_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
