package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.Queue;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformIT {
    private static final Map<String, String> NOTHING = Map.of();

    @TempDir
    private Path folder;

    @Test
    void servesWhatItsCredentialsFileSaysAndTakesItAlongWhenItEnds() throws Exception {
        Path file = folder.resolve("credentials.json");
        try (Cli platform = start(file, "--namespace", "n1", "--queue", "q1")) {
            URI url = url(platform);
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            OrbitCredentials credentials = OrbitCredentials.fromFile(file);
            assertEquals(
                    new Queue("q1", "n1"),
                    HttpTaskPlatform.builder(url, credentials).build().getQueue("q1", Duration.ofSeconds(5)));
            Cli.Ended ended = platform.terminate();
            ended.assertOk("platform_url=" + url);
        }
        assertFalse(Files.exists(file));
    }

    @Test
    void endsOnSigintToo() throws Exception {
        Path file = folder.resolve("credentials.json");
        try (Cli platform = start(file)) {
            URI url = url(platform);
            platform.interrupt().assertOk("platform_url=" + url);
        }
        assertFalse(Files.exists(file));
    }

    @Test
    void neverOverwritesAFile() throws Exception {
        Path file = Files.writeString(folder.resolve("mine"), "mine");
        Cli.run(NOTHING, "platform", "--port", "0", "--output", file.toString())
                .assertFailed(ExitStatus.INVALID_INPUT, "credentialsFile must not be there yet.*");
        assertEquals("mine", Files.readString(file));
    }

    @Test
    void leavesAFileThatIsNotItsOwn() throws Exception {
        Path file = folder.resolve("credentials.json");
        try (Cli platform = start(file)) {
            url(platform);
            Files.delete(file);
            new OrbitCredentials("another", "n", "q").writeTo(file);
            assertEquals(0, platform.terminate().code());
        }
        assertEquals("another", OrbitCredentials.fromFile(file).token());
    }

    @Test
    void aTakenPortIsSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path file = folder.resolve("credentials.json");
            String port = String.valueOf(taken.getLocalPort());
            Cli.run(NOTHING, "platform", "--port", port, "--output", file.toString())
                    .assertFailed(ExitStatus.FAILURE, "Cannot listen on 127\\.0\\.0\\.1:" + port + " .*");
            assertFalse(Files.exists(file));
        }
    }

    @Test
    void theCommandsWorkAgainstItWithTheFile() throws Exception {
        Path file = folder.resolve("credentials.json");
        try (SenderSchema schema = SenderSchema.empty();
                Cli platform = start(file)) {
            Map<String, String> environment = new HashMap<>(schema.local());
            environment.remove("ORBIT_NAMESPACE_ID");
            environment.remove("ORBIT_QUEUE_ID");
            environment.put("ORBIT_URL", url(platform).toString());
            environment.put("ORBIT_CREDENTIALS_FILE", file.toString());
            Cli.run(environment, "init").assertOk("sender_schema_initialized=true foreign_keys=0");
            Cli.Ended demo = Cli.run(environment, "demo");
            assertEquals(0, demo.code(), demo::toString);
            assertEquals(List.of("default outbox"), schema.query("SELECT namespace_id, queue_id FROM sender_outbox"));
            String token = OrbitCredentials.fromFile(file).token();
            Cli.Ended ended = platform.terminate();
            assertTrue(!(demo + " " + ended).contains(token));
        }
    }

    private static Cli start(Path file, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("platform", "--port", "0", "--output", file.toString()));
        arguments.addAll(List.of(options));
        return Cli.start(NOTHING, arguments.toArray(String[]::new));
    }

    private static URI url(Cli platform) throws Exception {
        return URI.create(platform.out()
                .await("platform_url=http://127\\.0\\.0\\.1:[0-9]+")
                .substring("platform_url=".length()));
    }
}
