package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command line without a command. */
@Command(
        name = "sender",
        description = "Saves business operations and submits their tasks to Orbit.",
        footerHeading = "%nEnvironment:%n",
        footer = {
            "  ORBIT_SENDER_JDBC_URL    jdbc:mysql: URL of the business schema",
            "  ORBIT_SENDER_JDBC_USER, ORBIT_SENDER_JDBC_PASSWORD",
            "  ORBIT_URL                the platform (send, demo)",
            "  ORBIT_CREDENTIALS_FILE   JSON with token, namespace_id and queue_id",
            "  ORBIT_TOKEN, ORBIT_NAMESPACE_ID, ORBIT_QUEUE_ID   instead of a field of the file"
        })
final class SenderCommand implements Runnable {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this help.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    static CommandLine line(CommandContext context) {
        CommandLine line = new CommandLine(new SenderCommand());
        for (Object command : List.of(
                new PlatformCommand(context),
                new InitCommand(context),
                new EnqueueCommand(context),
                new StatusCommand(context),
                new SendCommand(context),
                new DemoCommand(context),
                new DemoStackCommand(context))) {
            line.addSubcommand(command);
        }
        describeExitCodes(line);
        line.getSubcommands().values().forEach(SenderCommand::describeExitCodes);
        line.setExecutionExceptionHandler((error, command, parsed) -> report(command, error));
        line.setParameterExceptionHandler((error, args) -> report(error.getCommandLine(), error));
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is missing; see sender --help");
    }

    private static int report(CommandLine command, Exception error) {
        Failure failure = Failure.of(error);
        PrintWriter err = command.getErr();
        err.println(failure);
        err.flush();
        return failure.status().code();
    }

    private static void describeExitCodes(CommandLine line) {
        Map<String, String> codes = new LinkedHashMap<>();
        for (ExitStatus status : ExitStatus.values()) {
            codes.put(String.valueOf(status.code()), status.word() + ": " + status.meaning());
        }
        line.getCommandSpec()
                .usageMessage()
                .exitCodeListHeading("%nExit codes, and the words after error= on standard error:%n")
                .exitCodeList(codes);
    }
}
