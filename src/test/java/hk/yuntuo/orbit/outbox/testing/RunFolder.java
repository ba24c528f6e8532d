package hk.yuntuo.orbit.outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The folder of one running server. The lock on the file beside it is held as long as the folder is in use, also by a
 * process that knows nothing of this one: that tells it from a folder that a killed process left.
 */
final class RunFolder implements AutoCloseable {

    private static final String LOCK = ".lock";

    private final Path path;
    private final FileChannel lock;

    private RunFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Makes a folder in {@code runs}, readable by its owner only. */
    static RunFolder create(Path runs) throws IOException {
        Path path = Files.createTempDirectory(runs, ownPrefix());
        FileChannel lock = FileChannel.open(lockOf(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lock.lock();
        return new RunFolder(path, lock);
    }

    /** Removes the folders in {@code runs} whose process is gone. */
    static void sweep(Path runs) throws IOException {
        try (DirectoryStream<Path> locks = Files.newDirectoryStream(runs, "*" + LOCK)) {
            for (Path lock : locks) {
                String name = String.valueOf(lock.getFileName());
                // To close any channel to a file of ours would release our lock on it.
                if (!name.startsWith(ownPrefix())) {
                    removeIfAbandoned(runs.resolve(name.substring(0, name.length() - LOCK.length())), lock);
                }
            }
        }
    }

    Path path() {
        return path;
    }

    /** Removes the folder. */
    @Override
    public void close() {
        try {
            delete(path);
            Files.deleteIfExists(lockOf(path));
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void removeIfAbandoned(Path run, Path lockFile) throws IOException {
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
                FileLock free = channel.tryLock()) {
            if (free != null) {
                delete(run);
                Files.deleteIfExists(lockFile);
            }
        }
    }

    private static Path lockOf(Path run) {
        return run.resolveSibling(run.getFileName() + LOCK);
    }

    private static String ownPrefix() {
        return ProcessHandle.current().pid() + "-";
    }

    /** Removes a folder with all that is in it. */
    static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> paths = Files.walk(folder)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
