package hk.yuntuo.orbit.outbox.support.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Another process stopped by SIGSTOP, until this is closed or this JVM ends: the shell that stopped it waits for the end of its own
 * standard input to let it go on, so that no stopped process is left behind by a test that was killed.
 */
final class Stall implements AutoCloseable {
    /** The signal only begins the stop of a process of many threads; where there is a /proc, wait until the last one has stopped. */
    private static final String SCRIPT = """
            kill -STOP "$1" || exit 1
            while cat /proc/"$1"/task/*/status 2>/dev/null | grep '^State:' | grep -qv 'T (stopped)'; do :; done
            echo stopped
            read -r line
            kill -CONT "$1"
            """;

    private final Process shell;

    private Stall(Process shell) {
        this.shell = shell;
    }

    /** Returns when the process has stopped. */
    static Stall of(long pid) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "stall", Long.toString(pid))
                    .redirectErrorStream(true)
                    .start();
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8));
            String line = said.readLine();
            if (!"stopped".equals(line)) {
                throw new IllegalStateException("could not stop " + pid + ": " + line);
            }
            return new Stall(shell);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when the signal to go on has been sent. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().close();
            shell.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
