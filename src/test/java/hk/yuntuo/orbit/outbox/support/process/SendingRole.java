package hk.yuntuo.orbit.outbox.support.process;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/** Runs senders of one queue until they are stopped or one of them fails, which stops the others. */
final class SendingRole implements ProcessRole {
    /** What runs with an acceptance. */
    enum Callback {
        NONE,
        /** Writes the task into the business row of the operation. */
        LINK,
        /** The same, and leaves a {@link CallbackTrace}, whose table the test makes. */
        TRACE
    }

    private final List<OutboxSender> senders;
    private final TaskPlatform platform;
    private final RunOptions options;

    private SendingRole(List<OutboxSender> senders, TaskPlatform platform, RunOptions options) {
        this.senders = senders;
        this.platform = platform;
        this.options = options;
    }

    static SendingRole over(EntityManagerFactory factory) {
        OrbitCredentials credentials = OrbitCredentials.fromEnvironment(System.getenv());
        URI url = URI.create(ProcessSetting.PLATFORM_URL.required());
        List<OutboxSender> senders = IntStream.range(0, ProcessSetting.SENDERS.number(1))
                .mapToObj(i -> sender(factory, credentials))
                .toList();
        TaskPlatform platform = HttpTaskPlatform.builder(url, credentials).build();
        boolean pausing = ProcessSetting.PAUSE.value().isPresent();
        return new SendingRole(senders, pausing ? new PausingPlatform(platform) : platform, options());
    }

    private static OutboxSender sender(EntityManagerFactory factory, OrbitCredentials credentials) {
        OutboxSender.Builder builder = OutboxSender.builder(factory)
                .namespaceId(credentials.namespaceId())
                .queueId(credentials.queueId());
        return switch (ProcessSetting.CALLBACK.choice(Callback.LINK)) {
            case NONE -> builder.build();
            case LINK -> builder.onAccepted(SendingRole::link).build();
            case TRACE -> builder.onAccepted(CallbackTrace::leave).build();
        };
    }

    private static void link(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) {
        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
    }

    private static RunOptions options() {
        RunOptions.Builder options = RunOptions.builder()
                .concurrency(ProcessSetting.CONCURRENCY.number(16))
                .pollInterval(ProcessSetting.POLL_INTERVAL.duration().orElse(Duration.ofMillis(50)))
                .shutdownTimeout(ProcessSetting.SHUTDOWN_TIMEOUT.duration().orElse(Duration.ofSeconds(20)));
        ProcessSetting.RETRY_DELAY.duration().ifPresent(options::retryDelay);
        return options.build();
    }

    @Override
    public void run() {
        List<CompletableFuture<Void>> runs = senders.stream()
                .map(sender -> CompletableFuture.runAsync(
                        () -> sender.run(platform, options), task -> new Thread(task, "sender").start()))
                .toList();
        runs.forEach(run -> run.whenComplete((done, failure) -> stop()));
        try {
            CompletableFuture.allOf(runs.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void stop() {
        senders.forEach(OutboxSender::stop);
    }
}
