package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A folder for the owner only, removed with its files when closed.
 *
 * @param path where it is
 */
record TemporaryFolder(Path path) implements AutoCloseable {
    static TemporaryFolder create() throws IOException {
        return new TemporaryFolder(Files.createTempDirectory("orbit-sender-demo-"));
    }

    @Override
    public void close() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(path);
    }
}
