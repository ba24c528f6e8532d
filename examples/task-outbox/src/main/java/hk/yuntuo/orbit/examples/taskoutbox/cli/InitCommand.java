package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code sender init}. */
@Command(
        name = "init",
        description = {
            "Creates the two tables in a schema that has neither, for trying out.",
            "A service's own migrations include the library's changelog instead."
        })
final class InitCommand implements Callable<Integer> {
    private final CommandContext context;

    InitCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        int foreignKeys = new SchemaInit(context.settings().database()).run();
        context.out().println("sender_schema_initialized=true foreign_keys=" + foreignKeys);
        return ExitStatus.OK.code();
    }
}
