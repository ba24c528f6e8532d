package hk.yuntuo.orbit.outbox.support.process;

import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A running {@link SenderMain}, and the signals that befall it. Closing it kills it, also a stopped one; it ends by itself if this JVM
 * is killed.
 */
public final class SenderProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 90;
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    private final Process process;
    private final ProcessOutput output;
    private final AtomicReference<Stall> stall = new AtomicReference<>();

    private SenderProcess(Process process) {
        this.process = process;
        this.output = ProcessOutput.of(process.getInputStream());
    }

    /** A process on this schema; settings and a platform may follow. */
    public static Launch on(TestDatabase database) {
        return new Launch(database);
    }

    /** Waits until the role begins. */
    public SenderProcess awaitReady() {
        return awaitOutput(SenderMain.READY);
    }

    /** Waits for a line of its output or its log that holds the text. */
    public SenderProcess awaitOutput(String text) {
        try {
            if (!output.await(text, PATIENCE_SECONDS)) {
                throw new AssertionError("no \"" + text + "\" but " + output());
            }
            return this;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** SIGKILL: returns when it is gone. */
    public void kill() {
        process.toHandle().destroyForcibly();
        awaitExit();
    }

    /** SIGTERM. Through the handle, for {@link Process#destroy} would also end its standard input and our sight of its output. */
    public void terminate() {
        process.toHandle().destroy();
    }

    /** SIGSTOP: returns when all its threads have stopped. */
    public void stall() {
        if (!stall.compareAndSet(null, Stall.of(process.pid()))) {
            throw new IllegalStateException("it is stalled already");
        }
    }

    /** SIGCONT. */
    public void wake() {
        Stall begun = stall.getAndSet(null);
        if (begun != null) {
            begun.close();
        }
    }

    /** Lets one paused receipt go on. */
    public void proceed() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has ended and all its output is here; returns the exit code. */
    public int awaitExit() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("still running: " + output());
            }
            output.awaitEnd(PATIENCE_SECONDS);
            return process.exitValue();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    public boolean isStalled() {
        return stall.get() != null;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it has printed so far, its log included, line by line. */
    public List<String> output() {
        return output.lines();
    }

    @Override
    public void close() {
        process.toHandle().destroyForcibly();
        wake();
        awaitExit();
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException(e);
    }

    /** Collects the settings of a process. */
    public static final class Launch {
        private final ProcessBuilder builder = new ProcessBuilder(
                JAVA.toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                SenderMain.class.getName());

        private final TestDatabase database;

        private Launch(TestDatabase database) {
            this.database = database;
            with(ProcessSetting.JDBC_URL, database.jdbcUrl());
            with(ProcessSetting.JDBC_USER, database.user());
            with(ProcessSetting.JDBC_PASSWORD, database.password());
        }

        public Launch with(ProcessSetting setting, Object value) {
            builder.environment().put(setting.variable(), value.toString());
            return this;
        }

        /** Its connections go through a local proxy. */
        public Launch through(int port) {
            return with(ProcessSetting.JDBC_URL, database.urlThrough(port));
        }

        public Launch platform(URI url, OrbitCredentials credentials) {
            with(ProcessSetting.PLATFORM_URL, url);
            builder.environment()
                    .putAll(Map.of(
                            "ORBIT_TOKEN", credentials.token(),
                            "ORBIT_NAMESPACE_ID", credentials.namespaceId(),
                            "ORBIT_QUEUE_ID", credentials.queueId()));
            return this;
        }

        public SenderProcess start() {
            try {
                return new SenderProcess(builder.redirectErrorStream(true).start());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
