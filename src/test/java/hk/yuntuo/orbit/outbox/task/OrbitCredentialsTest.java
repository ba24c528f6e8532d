package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrbitCredentialsTest {
    private static final String SECRET = "s3cret-Token~value";
    private static final OrbitCredentials CREDENTIALS = new OrbitCredentials(SECRET, "team-a", "outbox");
    private static final String FILE_JSON =
            "{\"token\":\"" + SECRET + "\",\"namespace_id\":\"team-a\",\"queue_id\":\"outbox\"}";

    @TempDir
    Path folder;

    @Test
    void toStringLeavesTheTokenOut() {
        assertEquals("OrbitCredentials[namespaceId=team-a, queueId=outbox]", CREDENTIALS.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a\r\nX-Evil: 1", "a\u0000", "t\u00f6ken", "a\u007f"})
    void tokensThatAreNotVisibleAsciiAreRefusedUnseen(String token) {
        InvalidInputException refused =
                assertThrows(InvalidInputException.class, () -> new OrbitCredentials(token, "team-a", "outbox"));
        assertEquals("token must be 1 to 4096 visible ASCII characters", refused.getMessage());
    }

    @Test
    void tokensAreAtMost4096Long() {
        assertEquals(
                4096,
                new OrbitCredentials("t".repeat(4096), "team-a", "outbox")
                        .token()
                        .length());
        refused("token", () -> new OrbitCredentials("t".repeat(4097), "team-a", "outbox"));
    }

    @Test
    void namespaceAndQueueHaveTheirForm() {
        refused("namespaceId", () -> new OrbitCredentials(SECRET, "team a", "outbox"));
        refused("queueId", () -> new OrbitCredentials(SECRET, "team-a", ""));
    }

    @Test
    void aWrittenFileIsReadBack() throws IOException {
        Path file = folder.resolve("new.json");
        OrbitCredentials awkward = new OrbitCredentials("q\"uo\\te{}", "team-a", "outbox");
        awkward.writeTo(file);
        assertEquals(awkward, OrbitCredentials.fromFile(file));
    }

    @Test
    void aWrittenFileIsClosedToOthers() throws IOException {
        assumePosix();
        Path file = folder.resolve("new.json");
        CREDENTIALS.writeTo(file);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void anExistingFileIsNotOverwritten() throws IOException {
        Path file = Files.writeString(folder.resolve("old.json"), "old");
        refused("credentialsFile", () -> CREDENTIALS.writeTo(file));
        assertEquals("old", Files.readString(file));
    }

    @Test
    void aDanglingLinkIsNotWrittenThrough() throws IOException {
        assumePosix();
        Path target = folder.resolve("target.json");
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), target);
        refused("credentialsFile", () -> CREDENTIALS.writeTo(link));
        assertFalse(Files.exists(target));
    }

    @Test
    void aFolderThatIsNotThereIsNotCreated() {
        refused(
                "credentialsFile",
                () -> CREDENTIALS.writeTo(folder.resolve("nowhere").resolve("new.json")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw--w----", "rw---x---", "rw----r--", "rw-----w-", "rw------x"})
    void aFileOpenToOthersIsRefused(String mode) throws IOException {
        assumePosix();
        Path file = file(FILE_JSON);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        InvalidInputException refused = refused("credentialsFile", () -> OrbitCredentials.fromFile(file));
        assertTrue(refused.getMessage().contains("chmod 600"), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"r--------", "rw-------", "rwx------"})
    void theOwnersOwnPermissionsDoNotMatter(String mode) throws IOException {
        assumePosix();
        Path file = file(FILE_JSON);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        assertEquals(CREDENTIALS, OrbitCredentials.fromFile(file));
    }

    @Test
    void aLinkIsFollowedToAFileThatIsClosedToOthers() throws IOException {
        assumePosix();
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), file(FILE_JSON));
        assertEquals(CREDENTIALS, OrbitCredentials.fromFile(link));
    }

    @Test
    void unknownFieldsAreIgnored() throws IOException {
        Path file = file(FILE_JSON.replace("}", ",\"scopes\":[\"queues:read\"],\"id\":7}"));
        assertEquals(CREDENTIALS, OrbitCredentials.fromFile(file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "\"s3cret-Token~value\"",
                "{\"token\":\"s3cret-Token~value\",\"token\":\"s3cret-Token~value\",\"namespace_id\":\"n\",\"queue_id\":\"q\"}",
                "{\"token\":\"s3cret-Token~value\",\"namespace_id\":\"n\",\"queue_id\":\"q\"} {}",
                "{\"token\":\"s3cret-Token~value\",\"namespace_id\":\"n\",\"queue_id\":\"q\"",
                "{\"token\":s3cret-Token~value}",
            })
    void aFileThatIsNotOneStrictObjectIsRefused(String json) throws IOException {
        Path file = file(json);
        refused("credentialsFile", () -> OrbitCredentials.fromFile(file));
    }

    @Test
    void aFileThatIsNotUtf8IsRefused() throws IOException {
        Path file = file("");
        Files.write(file, FILE_JSON.replace("}", ",\"x\":\"\u00e4\"}").getBytes(StandardCharsets.ISO_8859_1));
        refused("credentialsFile", () -> OrbitCredentials.fromFile(file));
    }

    @Test
    void aFieldOfAnotherTypeIsRefused() throws IOException {
        Path number = file(FILE_JSON.replace("\"" + SECRET + "\"", "12345678"));
        assertFalse(refused("token", () -> OrbitCredentials.fromFile(number))
                .getMessage()
                .contains("12345678"));
        Path none = file(FILE_JSON.replace("\"outbox\"", "null"));
        refused("queue_id", () -> OrbitCredentials.fromFile(none));
    }

    @Test
    void aMissingFieldIsNamed() throws IOException {
        Path noToken = file("{\"namespace_id\":\"n\",\"queue_id\":\"q\"}");
        refused("token", () -> OrbitCredentials.fromFile(noToken));
        Path noNamespace = file("{\"token\":\"" + SECRET + "\",\"queue_id\":\"q\"}");
        refused("namespaceId", () -> OrbitCredentials.fromFile(noNamespace));
        Path noQueue = file("{\"token\":\"" + SECRET + "\",\"namespace_id\":\"n\"}");
        refused("queueId", () -> OrbitCredentials.fromFile(noQueue));
    }

    @Test
    void aFileOfMoreThan64KibibytesIsRefused() throws IOException {
        Path largest = file(FILE_JSON + " ".repeat(64 * 1024 - FILE_JSON.length()));
        assertEquals(CREDENTIALS, OrbitCredentials.fromFile(largest));
        Path tooLarge = file(FILE_JSON + " ".repeat(64 * 1024 + 1 - FILE_JSON.length()));
        refused("credentialsFile", () -> OrbitCredentials.fromFile(tooLarge));
    }

    @Test
    void aMissingFileAndAFolderAreRefused() {
        refused("credentialsFile", () -> OrbitCredentials.fromFile(folder.resolve("nowhere.json")));
        refused("credentialsFile", () -> OrbitCredentials.fromFile(folder));
    }

    @Test
    void theEnvironmentNamesTheFile() throws IOException {
        Map<String, String> environment =
                Map.of("ORBIT_CREDENTIALS_FILE", file(FILE_JSON).toString());
        assertEquals(CREDENTIALS, OrbitCredentials.fromEnvironment(environment));
    }

    @Test
    void eachVariableTakesPrecedenceOverItsField() throws IOException {
        String file = file(FILE_JSON).toString();
        assertEquals(
                new OrbitCredentials("other", "team-a", "outbox"),
                OrbitCredentials.fromEnvironment(Map.of("ORBIT_CREDENTIALS_FILE", file, "ORBIT_TOKEN", "other")));
        assertEquals(
                new OrbitCredentials(SECRET, "other", "outbox"),
                OrbitCredentials.fromEnvironment(
                        Map.of("ORBIT_CREDENTIALS_FILE", file, "ORBIT_NAMESPACE_ID", "other")));
        assertEquals(
                new OrbitCredentials(SECRET, "team-a", "other"),
                OrbitCredentials.fromEnvironment(Map.of("ORBIT_CREDENTIALS_FILE", file, "ORBIT_QUEUE_ID", "other")));
    }

    @Test
    void aVariableStandsInForAFieldThatIsMissing() throws IOException {
        String file =
                file("{\"namespace_id\":\"team-a\",\"queue_id\":\"outbox\"}").toString();
        assertEquals(
                CREDENTIALS,
                OrbitCredentials.fromEnvironment(Map.of("ORBIT_CREDENTIALS_FILE", file, "ORBIT_TOKEN", SECRET)));
    }

    @Test
    void withAllThreeVariablesTheFileIsNotOpened() {
        Map<String, String> environment = Map.of(
                "ORBIT_CREDENTIALS_FILE",
                folder.resolve("nowhere.json").toString(),
                "ORBIT_TOKEN",
                SECRET,
                "ORBIT_NAMESPACE_ID",
                "team-a",
                "ORBIT_QUEUE_ID",
                "outbox");
        assertEquals(CREDENTIALS, OrbitCredentials.fromEnvironment(environment));
    }

    @Test
    void anEmptyVariableCountsAsNotSet() throws IOException {
        String file = file(FILE_JSON).toString();
        assertEquals(
                CREDENTIALS,
                OrbitCredentials.fromEnvironment(Map.of("ORBIT_CREDENTIALS_FILE", file, "ORBIT_TOKEN", "")));
        refused("token", () -> OrbitCredentials.fromEnvironment(Map.of("ORBIT_CREDENTIALS_FILE", "")));
    }

    @Test
    void whatIsNowhereIsNamed() {
        refused("token", () -> OrbitCredentials.fromEnvironment(Map.of()));
        refused("namespaceId", () -> OrbitCredentials.fromEnvironment(Map.of("ORBIT_TOKEN", SECRET)));
        refused(
                "queueId",
                () -> OrbitCredentials.fromEnvironment(Map.of("ORBIT_TOKEN", SECRET, "ORBIT_NAMESPACE_ID", "team-a")));
    }

    private Path file(String json) throws IOException {
        Path file = Files.createTempFile(folder, "credentials", ".json");
        Files.writeString(file, json);
        return file;
    }

    private static InvalidInputException refused(String field, Executable call) {
        InvalidInputException refused = assertThrows(InvalidInputException.class, call);
        assertEquals(field, refused.field());
        assertFalse(refused.toString().contains(SECRET), refused.toString());
        assertNull(refused.getCause());
        return refused;
    }

    private static void assumePosix() {
        assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"), "needs POSIX permissions");
    }
}
