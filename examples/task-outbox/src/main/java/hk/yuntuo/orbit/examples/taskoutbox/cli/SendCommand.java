package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code sender send}. */
@Command(
        name = "send",
        description = {
            "Submits due operations of the namespace and queue until SIGINT or SIGTERM; then stops within 20 s and exits with 0.",
            "Looks every 500 ms when idle; after a storage error it waits 2 s and goes on. Any number may run at once."
        })
final class SendCommand implements Callable<Integer> {
    private static final RunOptions OPTIONS = RunOptions.builder()
            .pollInterval(Duration.ofMillis(500))
            .retryDelay(Duration.ofSeconds(2))
            .shutdownTimeout(Duration.ofSeconds(20))
            .concurrency(Database.CONNECTIONS - 1)
            .build();

    /** For closing the pool once the deliveries ended. */
    private static final Duration AFTER_THE_RUN = Duration.ofSeconds(5);

    private final CommandContext context;

    SendCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        OrbitTarget target = context.settings().target();
        TaskPlatform platform = context.settings().platform();
        try (Database database = Database.open(context.settings().database())) {
            OutboxSender sender = database.jobs(target).sender();
            context.shutdown().endOnSignal(OPTIONS.shutdownTimeout().plus(AFTER_THE_RUN), sender::stop);
            context.out().println("sender_started=true");
            sender.run(platform, OPTIONS);
        }
        context.out().println("sender_stopped=true");
        return ExitStatus.OK.code();
    }
}
