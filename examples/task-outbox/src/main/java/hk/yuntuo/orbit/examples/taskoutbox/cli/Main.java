package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.io.PrintWriter;

/** The process. */
public final class Main {
    private Main() {}

    /**
     * Runs one command and exits with its code.
     *
     * @param args the command and its arguments
     */
    public static void main(String[] args) {
        Shutdown shutdown = new Shutdown();
        CommandContext context =
                new CommandContext(new Settings(System.getenv()), new PrintWriter(System.out, true), shutdown);
        shutdown.exit(SenderCommand.line(context).execute(args));
    }
}
