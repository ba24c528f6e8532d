package hk.yuntuo.orbit.outbox.protocol;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the exploration found, as files for people to read. */
final class Report {
    private static final Path FOLDER = Path.of("target", "protocol");

    private Report() {}

    static void write(String name, Object found) throws IOException {
        Files.createDirectories(FOLDER);
        Files.writeString(FOLDER.resolve(name + ".txt"), found + System.lineSeparator());
    }
}
