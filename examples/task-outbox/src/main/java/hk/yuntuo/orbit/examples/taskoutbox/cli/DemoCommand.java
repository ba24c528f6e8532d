package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;

/** {@code sender demo}. */
@Command(
        name = "demo",
        description = {
            "Saves a new operation, saves it again as a duplicate, submits it, checks both sides, and cancels the task; at most 20 s.",
            "Needs the tables of init. After a failure, look the printed operation up: another demo is another operation."
        })
final class DemoCommand implements Callable<Integer> {
    /** The JVM's start and end fit into the second that is left of 20. */
    private static final Duration LIMIT = Duration.ofSeconds(19);

    private final CommandContext context;

    DemoCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws InterruptedException {
        OrbitTarget target = context.settings().target();
        TaskPlatform platform = context.settings().platform();
        DatabaseAddress address = context.settings().database();
        String operationId = OperationId.next().value();
        context.out().println("demo_operation=" + operationId);
        FutureTask<Void> demo = new FutureTask<>(() -> run(operationId, target, platform, address), null);
        Thread thread = new Thread(demo, "demo");
        thread.setDaemon(true);
        thread.start();
        await(demo, operationId);
        return ExitStatus.OK.code();
    }

    private void run(String operationId, OrbitTarget target, TaskPlatform platform, DatabaseAddress address) {
        try (Database database = Database.open(address)) {
            new Demo(database, target, platform).run(operationId).forEach(context.out()::println);
        }
    }

    private static void await(FutureTask<Void> demo, String operationId) throws InterruptedException {
        try {
            demo.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw failed(new Failure(ExitStatus.TIME_LIMIT, "The demo did not end within 20 s."), operationId, e);
        } catch (ExecutionException e) {
            throw failed(Failure.of(e.getCause()), operationId, e.getCause());
        }
    }

    private static CommandFailedException failed(Failure failure, String operationId, Throwable cause) {
        return new CommandFailedException(
                failure.status(),
                failure.message() + " Keep the operation id and look it up: sender status " + operationId
                        + " (another demo is another operation).",
                cause);
    }
}
