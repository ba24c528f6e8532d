package hk.yuntuo.orbit.outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A MySQL server of a test's own, beside the one of {@link MySqlServer#find()}, that can be killed and started again on its data, at
 * the same port. It ends with this JVM at the latest. Not thread-safe.
 */
public final class RestartableServer implements AutoCloseable {

    private static final long COPY_SECONDS = 120;

    private final Mysqld mysqld;
    private final RunFolder folder;
    private final MySqlAccess access;
    private @Nullable LocalServer running;

    private RestartableServer(Mysqld mysqld, RunFolder folder, MySqlAccess access) {
        this.mysqld = mysqld;
        this.folder = folder;
        this.access = access;
    }

    /**
     * Starts a server with the same {@code mysqld} as {@link MySqlServer#find()}.
     *
     * @return the server, which accepts connections; empty if the found server is no process of this machine that this JVM started,
     *     but a configured one or one in Docker
     * @throws IllegalStateException if no server is found, or this one does not start
     */
    public static Optional<RestartableServer> start() {
        TestCache cache = TestCache.open();
        return mysqldOf(MySqlServer.find(), cache).map(mysqld -> {
            try {
                RunFolder folder = cache.newRunFolder();
                copy(LocalServer.template(mysqld, cache), folder.path().resolve("data"));
                RestartableServer server = new RestartableServer(mysqld, folder, LocalServer.newAccess());
                server.startAgain();
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Kills the server as by SIGKILL: no transaction is ended, nothing is flushed. Returns when the process is gone. */
    public void kill() {
        if (running != null) {
            running.kill();
            running = null;
        }
    }

    /**
     * Starts the killed server again; returns when it has recovered and accepts connections.
     *
     * @throws IllegalStateException if it does not start
     */
    public void startAgain() {
        try {
            running = LocalServer.launch(mysqld, folder, access);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while mysqld started", e);
        }
    }

    /**
     * Creates an empty schema, as {@link MySqlServer#createSchema} does.
     *
     * @param prefix the beginning of its name
     * @return the schema; the caller closes it while the server runs
     */
    public TestSchema createSchema(String prefix) {
        return TestSchema.create(access, prefix);
    }

    /** Kills the server and removes its data. */
    @Override
    public void close() {
        kill();
        folder.close();
    }

    private static Optional<Mysqld> mysqldOf(MySqlServer found, TestCache cache) {
        return switch (found.origin()) {
            case MYSQLD_ON_PATH -> Mysqld.onPath();
            case FETCHED -> Optional.of(Mysqld.at(cache.fetchMysqld()));
            case CONFIGURED, DOCKER -> Optional.empty();
        };
    }

    private static void copy(Path template, Path data) throws IOException {
        Shell.run(COPY_SECONDS, List.of("cp", "-R", template.toString(), data.toString()));
        // The template's server id; each server makes its own.
        Files.deleteIfExists(data.resolve("auto.cnf"));
    }
}
