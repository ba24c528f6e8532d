package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.internal.rules.Limits;
import hk.yuntuo.orbit.outbox.internal.rules.Outcome;
import hk.yuntuo.orbit.outbox.internal.store.Deadline;
import hk.yuntuo.orbit.outbox.model.LeaseLostException;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.model.ShutdownTimeoutException;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends until it is stopped: claims on the thread that runs it, as many rows as can be delivered at once, and delivers and settles each
 * on a thread of its own. Used once.
 */
public final class SendLoop {
    private static final Logger LOG = LoggerFactory.getLogger(SendLoop.class);

    private final Pipeline pipeline;
    private final TaskPlatform platform;
    private final LoopSettings settings;
    private final BooleanSupplier stopped;
    private final Bell bell;
    private final Semaphore slots;
    private final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();
    private volatile boolean pauseDue;
    /** Nobody waits for the deliveries any more. */
    private volatile boolean abandoned;

    /** The bell must ring when {@code stopped} turns true. */
    public SendLoop(
            Pipeline pipeline, TaskPlatform platform, LoopSettings settings, BooleanSupplier stopped, Bell bell) {
        this.pipeline = pipeline;
        this.platform = platform;
        this.settings = settings;
        this.stopped = stopped;
        this.bell = bell;
        this.slots = new Semaphore(settings.concurrency());
    }

    /** Returns when stopped or interrupted, the latter with the flag set. */
    public void run(String namespaceId, String queueId) {
        LOG.info("outbox.sender.started namespace={} queue={} {}", namespaceId, queueId, settings);
        ExecutorService workers = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "orbit-outbox-" + queueId);
            thread.setDaemon(true);
            return thread;
        });
        boolean interrupted = false;
        Hints.Registration hints = Hints.register(namespaceId, queueId, bell::ring);
        try {
            // The bell before the look: a stop that comes after the look ends the next wait.
            for (long heard = bell.rings(); isGoingOn(); heard = bell.rings()) {
                step(workers, heard);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            hints.close();
        }
        interrupted |= Thread.interrupted();
        try {
            interrupted |= drain(workers);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        LOG.info("outbox.sender.stopped namespace={} queue={}", namespaceId, queueId);
        rethrow(fatal.get());
    }

    private boolean isGoingOn() {
        return !stopped.getAsBoolean()
                && fatal.get() == null
                && !Thread.currentThread().isInterrupted();
    }

    private void step(ExecutorService workers, long heard) throws InterruptedException {
        int free = slots.drainPermits();
        // After the permits: a delivery that fails says so before it gives its own back.
        if (pauseDue && settings.retryDelay() != null) {
            slots.release(free);
            pauseDue = false;
            pause(settings.retryDelay());
            return;
        }
        boolean idle = free == 0 || hasClaimedNothing(workers, free);
        if (idle && !pauseDue && fatal.get() == null) {
            bell.await(heard, settings.pollInterval());
        }
    }

    /** Claims with the permits that are free, and begins what it claimed. */
    private boolean hasClaimedNothing(ExecutorService workers, int free) throws InterruptedException {
        int taken = 0;
        try {
            Claimer.Batch batch = pipeline.claim(Math.min(free, Limits.CLAIM_ROWS));
            taken = batch.claims().size();
            batch.claims().forEach(claim -> workers.execute(() -> complete(claim)));
            return batch.isEmpty();
        } catch (RetryableTransactionException e) {
            LOG.warn("outbox.claim.lost {}", e.getMessage());
        } catch (Throwable e) {
            // What fails on an interrupted thread, the wait for a connection first of all, fails for that.
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException();
            }
            failed("outbox.claim.failed", e);
        } finally {
            slots.release(free - taken);
        }
        return true;
    }

    private void complete(Claim claim) {
        try {
            Outcome outcome = pipeline.deliver(claim, platform);
            if (abandoned && !(outcome instanceof Outcome.Answered)) {
                return; // The end of the run made this outcome, and the row is safe under its lease.
            }
            // This thread is the loop's own. On one that an adapter left interrupted, the wait for a connection fails,
            // and the outcome is lost.
            Thread.interrupted();
            pipeline.settle(claim, outcome);
        } catch (LeaseLostException | RetryableTransactionException e) {
            LOG.warn(
                    "outbox.settle.lost operation={} epoch={} {}",
                    claim.record().operationId(),
                    claim.record().leaseEpoch(),
                    e.getMessage());
        } catch (Throwable e) {
            if (abandoned) {
                LOG.warn("outbox.settle.failed after the end of the run: {}", e.getMessage());
            } else {
                failed("outbox.settle.failed", e);
            }
        } finally {
            slots.release();
            bell.ring();
        }
    }

    private void failed(String event, Throwable e) {
        if (settings.retryDelay() != null && e instanceof OutboxException) {
            LOG.warn(
                    "{} going on after {}: {} cause={}",
                    event,
                    settings.retryDelay(),
                    e.getMessage(),
                    e.getCause() == null ? null : e.getCause().getClass().getName());
            LOG.debug(event, e);
            pauseDue = true;
        } else {
            fatal.compareAndSet(null, e);
        }
    }

    private void pause(Duration delay) throws InterruptedException {
        Deadline end = Deadline.in(delay);
        for (long heard = bell.rings(); isGoingOn() && !end.remaining().isNegative(); heard = bell.rings()) {
            bell.await(heard, end.remaining());
        }
    }

    /** Waits for what is in flight; returns whether it was interrupted meanwhile. */
    private boolean drain(ExecutorService workers) {
        workers.shutdown();
        Deadline end = Deadline.in(settings.shutdownTimeout());
        boolean interrupted = false;
        while (true) {
            try {
                if (workers.awaitTermination(end.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
                    return interrupted;
                }
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        int inFlight = settings.concurrency() - slots.availablePermits();
        abandoned = true;
        workers.shutdownNow();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        throw timedOut(inFlight);
    }

    private ShutdownTimeoutException timedOut(int inFlight) {
        return new ShutdownTimeoutException(
                inFlight + " deliveries did not end within "
                        + settings.shutdownTimeout().toMillis()
                        + " ms of the stop. Their rows stay under their leases and are taken up again by any sender.",
                null,
                fatal.get());
    }

    private static void rethrow(@Nullable Throwable error) {
        if (error instanceof RuntimeException e) {
            throw e;
        }
        if (error instanceof Error e) {
            throw e;
        }
        if (error != null) {
            throw new IllegalStateException("A checked exception slipped out of code that declares none.", error);
        }
    }
}
