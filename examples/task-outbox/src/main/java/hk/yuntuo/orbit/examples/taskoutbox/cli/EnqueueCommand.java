package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.examples.taskoutbox.SourceRef;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sender enqueue}. */
@Command(
        name = "enqueue",
        description = {
            "Saves an operation and the command to submit its task in one local transaction; uses no network to the platform.",
            "The same content again is a duplicate, other content a conflict."
        })
final class EnqueueCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(
            index = "0",
            paramLabel = "OPERATION_ID",
            description = "32 lowercase hexadecimal digits, saved by the caller beforehand.")
    private String operationId;

    @Parameters(
            index = "1",
            paramLabel = "SOURCE_REF",
            description = "What to work on: at most 512 characters, not blank, no control characters.")
    private String sourceRef;

    EnqueueCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        ArgumentBytes.ofThisProcess().requireUndamaged();
        OperationId.parse(operationId);
        String checked = new SourceRef(sourceRef).value();
        OrbitTarget target = context.settings().target();
        try (Database database = Database.open(context.settings().database())) {
            EnqueueResult result = database.jobs(target).enqueue(operationId, checked);
            context.out().println("local_committed=true duplicate=" + (result == EnqueueResult.DUPLICATE));
        }
        return ExitStatus.OK.code();
    }
}
