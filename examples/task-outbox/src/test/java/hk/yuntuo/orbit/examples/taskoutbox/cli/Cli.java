package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The command line as its users run it: {@code java -jar}, in a process with nothing but the given settings. */
final class Cli implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;

    private final Process process;
    private final Lines out;
    private final Lines err;

    private Cli(Process process) {
        this.process = process;
        this.out = new Lines(process.getInputStream(), "stdout");
        this.err = new Lines(process.getErrorStream(), "stderr");
    }

    /** What a process left. */
    record Ended(int code, List<String> out, List<String> err) {
        Ended {
            // Whatever happened, a stack trace is never an answer.
            assertTrue(
                    err.stream().noneMatch(line -> line.matches("\\s+at .*|Caused by:.*|Exception in .*")),
                    err::toString);
        }

        void assertOk(String... lines) {
            assertEquals(List.of(), err);
            assertEquals(List.of(lines), out);
            assertEquals(0, code);
        }

        void assertFailed(ExitStatus status, String messageRegex) {
            assertEquals(List.of(), out);
            assertEquals(1, err.size(), err::toString);
            assertTrue(err.get(0).matches("error=" + status.word() + " " + messageRegex), err.get(0));
            assertEquals(status.code(), code);
        }
    }

    static Ended run(Map<String, String> environment, String... arguments) throws Exception {
        try (Cli cli = start(environment, arguments)) {
            return cli.end();
        }
    }

    static Cli start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = command();
        command.addAll(List.of(arguments));
        return launch(environment, command);
    }

    /** Runs one shell command in which {@code "$@"} is the command line. */
    static Ended shell(Map<String, String> environment, String script) throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(command());
        try (Cli cli = launch(environment, command)) {
            return cli.end();
        }
    }

    private static List<String> command() throws IOException {
        List<String> command = new ArrayList<>();
        if (ignoresInterrupts()) {
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                System.getProperty("task-outbox.jar")));
        return command;
    }

    /** A build in the background of a shell is started with SIGINT ignored, and its children would be too. */
    private static boolean ignoresInterrupts() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return false;
        }
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("SigIgn:")).anyMatch(line -> line.matches(".*[2367abefABEF]"));
        }
    }

    private static Cli launch(Map<String, String> environment, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("ORBIT_"));
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        return new Cli(builder.start());
    }

    Lines out() {
        return out;
    }

    Lines err() {
        return err;
    }

    /** Sends SIGTERM; {@code Process.destroy} would also close the streams to read. */
    void signalTerm() {
        process.toHandle().destroy();
    }

    /** Sends SIGTERM and waits for the end. */
    Ended terminate() throws Exception {
        signalTerm();
        return end();
    }

    /** Sends SIGINT and waits for the end. */
    Ended interrupt() throws Exception {
        new ProcessBuilder("sh", "-c", "kill -INT " + process.pid()).start().waitFor();
        return end();
    }

    /** Waits for the end. */
    Ended end() throws Exception {
        assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "the process has not ended");
        return new Ended(process.exitValue(), out.all(), err.all());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
