package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sender status}. */
@Command(name = "status", description = "Shows where an operation is. Read-only: it sends nothing and changes nothing.")
final class StatusCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "OPERATION_ID", description = "32 lowercase hexadecimal digits.")
    private String operationId;

    StatusCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        OperationId.parse(operationId);
        OrbitTarget target = context.settings().target();
        try (Database database = Database.open(context.settings().database())) {
            OutboxRecord record = database.jobs(target)
                    .status(operationId)
                    .orElseThrow(() -> new CommandFailedException(
                            ExitStatus.NOT_FOUND,
                            "There is no operation " + operationId + " in namespace " + target.namespaceId()
                                    + " and queue " + target.queueId() + ".",
                            null));
            context.out().println(StatusLine.of(record));
        }
        return ExitStatus.OK.code();
    }
}
