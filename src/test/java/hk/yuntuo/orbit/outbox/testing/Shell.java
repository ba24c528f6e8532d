package hk.yuntuo.orbit.outbox.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Runs commands that end by themselves, and reads the scripts of this package. */
final class Shell {

    private Shell() {}

    /** The text of a script beside this class, to be given to {@code sh -c}: it need not be a file to run. */
    static String script(String name) {
        try (InputStream resource = Objects.requireNonNull(Shell.class.getResourceAsStream(name), name)) {
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command without input, for at most some seconds, and answers all that it printed. */
    static String run(long seconds, List<String> command) {
        try {
            Path output = Files.createTempFile("orbit-outbox-", ".out");
            try {
                return run(seconds, command, output);
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command.get(0), e);
        }
    }

    private static String run(long seconds, List<String> command, Path output)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true).redirectOutput(output.toFile());
        TestSettings.OUTBOX_TEST_DEBIAN_MIRROR
                .value()
                .ifPresent(mirror -> builder.environment().put(TestSettings.OUTBOX_TEST_DEBIAN_MIRROR.name(), mirror));
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            String printed = Files.readString(output).strip();
            if (!ended || process.exitValue() != 0) {
                String how = ended ? "failed with exit code " + process.exitValue() : "took over " + seconds + " s";
                throw new IllegalStateException(command.get(0) + " " + how + ": " + printed);
            }
            return printed;
        } finally {
            process.destroyForcibly();
        }
    }
}
