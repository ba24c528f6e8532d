package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
    private static final String ID = "0123456789abcdef0123456789abcdef";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"", "platform", "init", "enqueue", "status", "send", "demo", "demo-stack"})
    void helpListsTheExitCodes(String command) {
        assertEquals(0, command.isEmpty() ? run("--help") : run(command, "--help"));
        for (ExitStatus status : ExitStatus.values()) {
            assertTrue(out.toString().contains("  " + status.code() + " "), status + " in\n" + out);
            assertTrue(out.toString().contains(status.word() + ": "), status + " in\n" + out);
        }
        assertEquals("", err.toString());
    }

    @Test
    void theReadmeListsTheExitCodes() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        for (ExitStatus status : ExitStatus.values()) {
            assertTrue(readme.contains("| " + status.code() + " | `" + status.word() + "` | "), status.word());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "--nonsense",
                "enqueue",
                "enqueue " + ID,
                "status",
                "status a b",
                "init x",
                "platform",
                "platform --output f --port x",
                "platform --output f --port 65536",
                "send --help=x"
            })
    void badUsageIsOneLineAndCode2(String line) {
        assertEquals(2, run(line.isEmpty() ? new String[0] : line.split(" ")));
        assertTrue(err.toString().matches("error=invalid_input [^\\n]+\\R"), err.toString());
        assertEquals("", out.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "ABCDEF0123456789ABCDEF0123456789, ref, operationId",
        "0123, ref, operationId",
        ID + ", ' ', sourceRef",
        ID + ", ref, namespaceId"
    })
    void badInputIsRefusedBeforeTheDatabaseIsLookedFor(String id, String ref, String field) {
        assertEquals(2, run("enqueue", id, ref));
        assertTrue(err.toString().startsWith("error=invalid_input " + field + " must "), err.toString());
    }

    @Test
    void aMissingDatabaseSettingIsNamed() {
        assertEquals(2, run("init"));
        assertEquals(
                "error=invalid_input ORBIT_SENDER_JDBC_URL must be a jdbc:mysql: URL with a schema",
                err.toString().strip());
    }

    private int run(String... args) {
        PrintWriter lines = new PrintWriter(out, true);
        CommandLine line = SenderCommand.line(new CommandContext(new Settings(Map.of()), lines, new Shutdown()));
        return line.setOut(lines).setErr(new PrintWriter(err, true)).execute(args);
    }
}
