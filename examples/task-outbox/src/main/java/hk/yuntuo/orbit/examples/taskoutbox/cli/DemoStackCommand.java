package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;

/** {@code sender demo-stack}. */
@Command(
        name = "demo-stack",
        description = {
            "Finds or starts a MySQL, runs the simulator of the platform, then init and demo as processes of their own.",
            "Needs nothing and leaves nothing behind."
        })
final class DemoStackCommand implements Callable<Integer> {
    private static final String QUEUE = "outbox";
    private static final String NAMESPACE = "default";

    private final CommandContext context;
    private final AtomicReference<Process> child = new AtomicReference<>();

    DemoStackCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        context.shutdown().breakOffOnSignal(Duration.ofSeconds(5), this::endChild);
        try (TestSchema schema = mySql().createSchema("orbit_sender_demo");
                OrbitSimulator simulator = OrbitSimulator.start();
                TemporaryFolder folder = TemporaryFolder.create()) {
            Path credentials = folder.path().resolve("outbox.credentials.json");
            simulator.issueCredential(NAMESPACE, QUEUE, OrbitScope.values()).writeTo(credentials);
            Map<String, String> environment = Map.of(
                    DatabaseAddress.URL,
                    schema.jdbcUrl(),
                    DatabaseAddress.USER,
                    schema.user(),
                    DatabaseAddress.PASSWORD,
                    schema.password(),
                    "ORBIT_URL",
                    simulator.url().toString(),
                    "ORBIT_CREDENTIALS_FILE",
                    credentials.toString());
            int code = run("init", environment);
            return code == ExitStatus.OK.code() ? run("demo", environment) : code;
        }
    }

    private static MySqlServer mySql() {
        try {
            return MySqlServer.find();
        } catch (IllegalStateException e) {
            throw new CommandFailedException(ExitStatus.STORAGE, e.getMessage(), e);
        }
    }

    /** Runs a command as a user would, in a process that has nothing in common with this one. */
    private int run(String command, Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        command)
                .inheritIO();
        builder.environment().keySet().removeIf(name -> name.startsWith("ORBIT_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        child.set(process);
        return process.waitFor();
    }

    private void endChild() {
        Process process = child.get();
        if (process != null) {
            process.destroy();
        }
    }
}
