package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final Map<String, String> NAMES = Map.of("ORBIT_NAMESPACE_ID", "n", "ORBIT_QUEUE_ID", "q");

    @Test
    void theTargetNeedsNoToken() {
        assertEquals(new OrbitTarget("n", "q"), new Settings(NAMES).target());
    }

    @Test
    void theTargetMayComeFromTheCredentialsFile(@TempDir Path folder) {
        Path file = folder.resolve("credentials.json");
        new OrbitCredentials("secret", "fn", "fq").writeTo(file);
        Map<String, String> environment = Map.of("ORBIT_CREDENTIALS_FILE", file.toString(), "ORBIT_QUEUE_ID", "q");
        assertEquals(new OrbitTarget("fn", "q"), new Settings(environment).target());
    }

    @Test
    void thePlatformNeedsATokenAndAUrl() {
        assertEquals("ORBIT_URL", refusedField(new Settings(NAMES)::platform));
        assertEquals(
                "token",
                refusedField(
                        new Settings(Map.of(
                                "ORBIT_URL", "http://127.0.0.1:1", "ORBIT_NAMESPACE_ID", "n", "ORBIT_QUEUE_ID", "q"))
                                ::platform));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jdbc:postgresql://h/s?password=secret", "mysql://u:secret@h/s"})
    void onlyMySqlIsTaken(String url) {
        Settings settings = new Settings(Map.of("ORBIT_SENDER_JDBC_URL", url));
        InvalidInputException e = assertThrows(InvalidInputException.class, settings::database);
        assertEquals("ORBIT_SENDER_JDBC_URL", e.field());
        assertFalse(e.getMessage().contains("secret"), e.getMessage());
    }

    @Test
    void theAddressShowsNeitherUrlNorPassword() {
        DatabaseAddress address = new Settings(Map.of(
                        "ORBIT_SENDER_JDBC_URL", "jdbc:mysql://h/s",
                        "ORBIT_SENDER_JDBC_USER", "u",
                        "ORBIT_SENDER_JDBC_PASSWORD", "secret"))
                .database();
        assertEquals("secret", address.properties().getProperty("password"));
        assertEquals("DatabaseAddress", address.toString());
    }

    @Test
    void withoutAUserTheUrlSaysIt() {
        DatabaseAddress address = new Settings(Map.of("ORBIT_SENDER_JDBC_URL", "jdbc:mysql://h/s?user=u")).database();
        assertTrue(address.properties().getProperty("user") == null);
    }

    private static String refusedField(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(InvalidInputException.class, call).field();
    }
}
