package hk.yuntuo.orbit.outbox.support.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The lines a process has printed so far. */
final class ProcessOutput {
    private final List<String> lines = new ArrayList<>();
    private boolean ended;

    static ProcessOutput of(InputStream stream) {
        ProcessOutput output = new ProcessOutput();
        Thread thread = new Thread(() -> output.read(stream), "process-output");
        thread.setDaemon(true);
        thread.start();
        return output;
    }

    private void read(InputStream stream) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            String line;
            while ((line = reader.readLine()) != null) {
                add(line);
            }
        } catch (IOException e) {
            // The process has gone.
        }
        end();
    }

    private synchronized void add(String line) {
        lines.add(line);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** Waits for a line that holds the text, and says whether there is one. */
    synchronized boolean await(String text, long seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!ended && !holds(text)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                break;
            }
            wait(left);
        }
        return holds(text);
    }

    synchronized void awaitEnd(long seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!ended && end - System.nanoTime() > 0) {
            wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        }
    }

    private boolean holds(String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }
}
