package hk.yuntuo.orbit.outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The folder, outside of any source tree, that keeps what was fetched and holds the data of running servers. */
record TestCache(Path root) {

    private static final String PROJECT = "orbit-outbox-jpa";

    /** The script's own limits add up to less. */
    private static final long FETCH_SECONDS = 1_900;

    static TestCache open() {
        Path root = TestSettings.OUTBOX_TEST_CACHE
                .value()
                .map(Path::of)
                .or(() -> variable("XDG_CACHE_HOME").map(folder -> Path.of(folder, PROJECT)))
                .orElseGet(() -> Path.of(variable("HOME").orElse(System.getProperty("user.home")), ".cache", PROJECT));
        try {
            return new TestCache(Files.createDirectories(root.toAbsolutePath()));
        } catch (IOException e) {
            throw new NoServerException("no cache folder " + root + " (" + e + "); set "
                    + TestSettings.OUTBOX_TEST_CACHE + " to a folder that can be written");
        }
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }

    boolean hasMysqld() {
        String[] fetched = root.toFile().list((parent, name) -> name.matches("mysql-sid-\\w+"));
        return fetched != null && fetched.length > 0;
    }

    /** The mysqld of Debian's package, fetched if it is not here yet. */
    Path fetchMysqld() {
        String printed = Shell.run(
                FETCH_SECONDS,
                List.of("bash", "-c", Shell.script("mysql-fetch.sh"), "mysql-fetch.sh", root.toString()));
        // Before its own line may stand a warning, of an unknown locale for one.
        return Path.of(printed.substring(printed.lastIndexOf('\n') + 1));
    }

    /** The folder of that name, which {@code maker} makes the first time, in whichever process that is. */
    Path folder(String name, Consumer<Path> maker) {
        Path folder = root.resolve(name);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        try (FileChannel channel = lockFile(name);
                FileLock lock = channel.lock()) {
            if (lock.isValid() && !Files.isDirectory(folder)) {
                Path part = root.resolve(name + ".part");
                RunFolder.delete(part);
                maker.accept(part);
                // A rename, so that a folder with the final name is a complete one.
                Files.move(part, folder);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A new folder for one server; those that killed processes left are removed. */
    RunFolder newRunFolder() {
        try (FileChannel channel = lockFile("run");
                FileLock lock = channel.lock()) {
            if (!lock.isValid()) {
                throw new IOException("lost the lock on the run folders");
            }
            Path runs = Files.createDirectories(root.resolve("run"));
            RunFolder.sweep(runs);
            return RunFolder.create(runs);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FileChannel lockFile(String name) throws IOException {
        return FileChannel.open(root.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }
}
