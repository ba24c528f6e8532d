package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sender platform}. */
@Command(
        name = "platform",
        description = {
            "Runs a simulator of the platform on 127.0.0.1 until SIGINT or SIGTERM, and exits with 0.",
            "It keeps its tasks and tokens in memory, so its credentials file is removed when it ends."
        })
final class PlatformCommand implements Callable<Integer> {
    private final CommandContext context;

    @Option(
            names = "--output",
            required = true,
            paramLabel = "FILE",
            description = "Credentials file to create, mode 0600. It must not be there yet.")
    private Path output;

    @Option(
            names = "--port",
            defaultValue = "8080",
            paramLabel = "PORT",
            description = "Port to listen on, 0 for any free one (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--namespace",
            defaultValue = "default",
            paramLabel = "ID",
            description = "Namespace of the credential (default: ${DEFAULT-VALUE}).")
    private String namespace;

    @Option(
            names = "--queue",
            defaultValue = "outbox",
            paramLabel = "ID",
            description = "Queue of the credential (default: ${DEFAULT-VALUE}).")
    private String queue;

    PlatformCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (OrbitSimulator simulator = start()) {
            OrbitCredentials credentials = simulator.issueCredential(namespace, queue, OrbitScope.values());
            credentials.writeTo(output);
            try {
                CountDownLatch stop = new CountDownLatch(1);
                context.shutdown().endOnSignal(Duration.ofSeconds(5), stop::countDown);
                context.out().println("platform_url=" + simulator.url());
                stop.await();
            } finally {
                removeIfStill(credentials);
            }
        }
        return ExitStatus.OK.code();
    }

    private OrbitSimulator start() {
        if (port < 0 || port > 65_535) {
            throw new CommandFailedException(ExitStatus.INVALID_INPUT, "--port must be 0 to 65535", null);
        }
        try {
            return OrbitSimulator.start(port);
        } catch (UncheckedIOException e) {
            throw new CommandFailedException(
                    ExitStatus.FAILURE,
                    "Cannot listen on 127.0.0.1:" + port + " (" + e.getCause().getMessage()
                            + "); choose another --port.",
                    e);
        }
    }

    /** Another file may have been put in its place meanwhile. */
    private void removeIfStill(OrbitCredentials credentials) {
        try {
            if (Files.exists(output) && OrbitCredentials.fromFile(output).equals(credentials)) {
                Files.delete(output);
            }
        } catch (IOException | RuntimeException e) {
            throw new CommandFailedException(
                    ExitStatus.FAILURE, "The credentials file could not be removed; it is of no use now.", e);
        }
    }
}
