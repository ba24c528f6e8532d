package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How starts fail, with a script in the place of mysqld. */
class LocalServerTest {

    @TempDir
    private Path folder;

    @Test
    void theEndOfTheLogOfAServerThatFailsIsInTheMessage() throws IOException {
        Mysqld mysqld = Mysqld.at(script("echo 'no room for the redo log'; exit 3"));
        TestCache cache = new TestCache(folder);

        String message = assertThrows(IllegalStateException.class, () -> LocalServer.start(mysqld, cache))
                .getMessage();

        assertTrue(message.contains("exit code 3") && message.contains("no room for the redo log"), message);
        assertEquals(List.of(), runFolders());
    }

    @Test
    void aPortTakenMeanwhileIsTriedAgainThreeTimes() throws IOException {
        Path tries = folder.resolve("tries");
        Mysqld mysqld = Mysqld.at(script("echo x >>" + tries + "; echo 'Bind on TCP/IP port: in use'; exit 1"));
        TestCache cache = new TestCache(folder);

        assertThrows(IllegalStateException.class, () -> LocalServer.start(mysqld, cache));

        assertEquals(3, Files.readAllLines(tries).size());
        assertEquals(List.of(), runFolders());
    }

    @Test
    void anotherProductOrAnOldVersionIsNotTaken() throws IOException {
        for (String version : List.of("8.3.0", "5.7.44", "11.4.2-MariaDB")) {
            Path executable = script("", version);

            assertThrows(NoServerException.class, () -> Mysqld.at(executable), version);
        }
        assertEquals("8.4.6", Mysqld.at(script("", "8.4.6")).version());
    }

    private List<Path> runFolders() throws IOException {
        try (Stream<Path> left = Files.list(folder.resolve("run"))) {
            return left.toList();
        }
    }

    private Path script(String run) throws IOException {
        return script(run, "8.4.6");
    }

    /** A mysqld that initialises an empty data folder, and does as told when it is to run. */
    private Path script(String run, String version) throws IOException {
        String text = """
            #!/bin/sh
            case "$*" in
                *--version*) echo 'mysqld  Ver %s for Linux on x86_64' ;;
                *--initialize*) for last; do :; done; mkdir "${last#--datadir=}" ;;
                *) %s ;;
            esac
            """.formatted(version, run.isEmpty() ? ":" : run);
        Path script = Files.createTempFile(
                folder,
                "mysqld",
                ".sh",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return Files.writeString(script, text);
    }
}
