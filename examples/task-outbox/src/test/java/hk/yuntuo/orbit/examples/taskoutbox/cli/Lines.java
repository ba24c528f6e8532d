package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a process has printed so far to one of its streams. */
final class Lines {
    private static final long LIMIT_SECONDS = 40;

    private final List<String> lines = new ArrayList<>();
    private final Thread reader;

    Lines(InputStream stream, String name) {
        reader = new Thread(() -> read(stream), name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Waits for a line that matches. */
    synchronized String await(String regex) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        int seen = 0;
        while (true) {
            for (; seen < lines.size(); seen++) {
                if (lines.get(seen).matches(regex)) {
                    return lines.get(seen);
                }
            }
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("no line matches " + regex + " in " + lines);
            }
            wait(left);
        }
    }

    /** All lines, once the stream has ended. */
    List<String> all() throws InterruptedException {
        reader.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        synchronized (this) {
            return List.copyOf(lines);
        }
    }

    private void read(InputStream stream) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                synchronized (this) {
                    lines.add(line);
                    notifyAll();
                }
            }
        } catch (IOException closed) {
            // The process was killed.
        }
    }
}
