package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrbitTargetTest {
    @TempDir
    Path folder;

    @Test
    void theVariablesAreEnoughAndNoTokenOrFileIsLookedFor() {
        Map<String, String> names =
                Map.of("ORBIT_NAMESPACE_ID", "n", "ORBIT_QUEUE_ID", "q", "ORBIT_CREDENTIALS_FILE", folder + "/none");
        assertEquals(new OrbitTarget("n", "q"), OrbitTarget.fromEnvironment(names));
    }

    @Test
    void theFileGivesWhatTheVariablesLack() {
        Path file = folder.resolve("credentials.json");
        new OrbitCredentials("secret", "file-n", "file-q").writeTo(file);
        Map<String, String> environment =
                Map.of("ORBIT_CREDENTIALS_FILE", file.toString(), "ORBIT_QUEUE_ID", "q", "ORBIT_NAMESPACE_ID", "");
        assertEquals(new OrbitTarget("file-n", "q"), OrbitTarget.fromEnvironment(environment));
    }

    @Test
    void whatIsNowhereOrMalformedIsNamed() {
        assertEquals("namespaceId", field(Map.of("ORBIT_QUEUE_ID", "q")));
        assertEquals("queueId", field(Map.of("ORBIT_NAMESPACE_ID", "n")));
        assertEquals("queueId", field(Map.of("ORBIT_NAMESPACE_ID", "n", "ORBIT_QUEUE_ID", "a b")));
    }

    private static String field(Map<String, String> environment) {
        return assertThrows(InvalidInputException.class, () -> OrbitTarget.fromEnvironment(environment))
                .field();
    }
}
