package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.model.OperationId;
import java.sql.Connection;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnqueueStatusIT {
    private static final String INSERTED = "local_committed=true duplicate=false";
    private static final String DUPLICATE = "local_committed=true duplicate=true";

    private static SenderSchema schema;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void create() throws Exception {
        schema = SenderSchema.initialised();
    }

    @AfterAll
    static void drop() {
        schema.close();
    }

    @Test
    void anOperationIsSavedOnceWithoutATokenOrAPlatform() throws Exception {
        enqueue(id, "objects/input.txt").assertOk(INSERTED);
        enqueue(id, "objects/input.txt").assertOk(DUPLICATE);
        assertEquals(List.of("objects/input.txt null"), jobs());
        Cli.run(schema.local(), "status", id).assertOk("operation=" + id + " state=PENDING sends=0 code=- task=-");
    }

    @Test
    void theStoredRequestIsTheOneOfTheDocumentation() throws Exception {
        enqueue(id, "a").assertOk(INSERTED);
        assertEquals(
                List.of("object.prepare v1 v1 " + id
                        + " 60000 {\"source_ref\":\"a\",\"exact_integer\":9007199254740993}"),
                schema.query("SELECT j.handler, j.handler_version, j.payload_version, j.business_key, j.timeout,"
                        + " REGEXP_SUBSTR(request_json, '[{]\"source_ref\"[^}]*[}]')"
                        + " FROM sender_outbox, JSON_TABLE(request_json, '$' COLUMNS ("
                        + " handler VARCHAR(64) PATH '$.handler', handler_version VARCHAR(64) PATH '$.handler_version',"
                        + " payload_version VARCHAR(64) PATH '$.payload_version',"
                        + " business_key VARCHAR(64) PATH '$.business_key', timeout INT PATH '$.task_timeout_ms')) j"
                        + " WHERE operation_id = '" + id + "'"));
    }

    @Test
    void otherContentUnderTheSameIdIsAConflictAndChangesNothing() throws Exception {
        enqueue(id, "a").assertOk(INSERTED);
        enqueue(id, "b").assertFailed(ExitStatus.CONFLICT, "Operation " + id + " exists with other content\\..*");
        Map<String, String> otherQueue = new HashMap<>(schema.local());
        otherQueue.put("ORBIT_QUEUE_ID", "other");
        Cli.run(otherQueue, "enqueue", id, "a")
                .assertFailed(ExitStatus.CONFLICT, "Operation " + id + " exists for another queue\\..*");
        assertEquals(List.of("a null"), jobs());
    }

    @Test
    void anotherQueueOrNamespaceDoesNotSeeTheOperation() throws Exception {
        enqueue(id, "a").assertOk(INSERTED);
        for (String setting : List.of("ORBIT_QUEUE_ID", "ORBIT_NAMESPACE_ID")) {
            Map<String, String> other = new HashMap<>(schema.local());
            other.put(setting, "other");
            Cli.run(other, "status", id).assertFailed(ExitStatus.NOT_FOUND, "There is no operation " + id + " in .*");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0123", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcdef "})
    void anIdOfAnotherFormIsRefused(String other) throws Exception {
        enqueue(other, "a").assertFailed(ExitStatus.INVALID_INPUT, "operationId must be 32 lowercase .*");
        Cli.run(schema.local(), "status", other)
                .assertFailed(ExitStatus.INVALID_INPUT, "operationId must be 32 lowercase .*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "a\nb"})
    void aSourceRefThatBreaksARuleIsRefused(String ref) throws Exception {
        enqueue(id, ref).assertFailed(ExitStatus.INVALID_INPUT, "sourceRef must .*");
        assertEquals(List.of(), jobs());
    }

    @Test
    void aSourceRefMayHave512CharactersOfAnyScript() throws Exception {
        // The shell makes the bytes: this JVM's own locale may not be able to pass them on.
        String emoji512 = "\"$(printf '\\360\\237\\230\\200%.0s' $(seq 512))\"";
        Cli.shell(schema.local(), "exec \"$@\" enqueue " + id + " " + emoji512).assertOk(INSERTED);
        assertEquals(
                List.of("512 2048"),
                schema.query(
                        "SELECT CHAR_LENGTH(source_ref), LENGTH(source_ref) FROM sender_jobs WHERE operation_id = '"
                                + id + "'"));
    }

    @Test
    void bytesThatTheLocaleCannotDecodeAreRefusedAndNotReplaced() throws Exception {
        Map<String, String> posix = new HashMap<>(schema.local());
        posix.put("LC_ALL", "POSIX");
        Cli.shell(posix, "exec \"$@\" enqueue " + id + " \"$(printf 'a\\303\\251')\"")
                .assertFailed(ExitStatus.INVALID_INPUT, "arguments must be ASCII in this locale.*");
        Cli.shell(schema.local(), "exec \"$@\" enqueue " + id + " \"$(printf 'a\\377')\"")
                .assertFailed(ExitStatus.INVALID_INPUT, "arguments must be valid UTF-8");
        assertEquals(List.of(), jobs());
    }

    @Test
    void anOperationThatIsNotThereIsNotFound() throws Exception {
        Cli.run(schema.local(), "status", id)
                .assertFailed(ExitStatus.NOT_FOUND, "There is no operation " + id + " in namespace ns and queue q\\.");
    }

    @Test
    void anEnqueueThatWaitsForALockIsToBeRunAgain() throws Exception {
        try (Connection other = schema.address().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("INSERT INTO sender_jobs (namespace_id, operation_id, source_ref) VALUES ('ns', '" + id
                    + "', 'a')");
            enqueue(id, "a").assertFailed(ExitStatus.RETRY, ".*1205.*");
            other.rollback();
        }
        enqueue(id, "a").assertOk(INSERTED);
    }

    @Test
    void aDatabaseThatCannotBeReachedIsAStorageError() throws Exception {
        Map<String, String> nowhere = new HashMap<>(schema.local());
        nowhere.put(DatabaseAddress.URL, "jdbc:mysql://127.0.0.1:1/s");
        for (String[] command : new String[][] {{"init"}, {"status", id}, {"enqueue", id, "a"}}) {
            Cli.run(nowhere, command).assertFailed(ExitStatus.STORAGE, "The business database cannot be reached .*");
        }
        Map<String, String> wrong = new HashMap<>(schema.local());
        wrong.put(DatabaseAddress.PASSWORD, "wrong-secret");
        Cli.run(wrong, "status", id).assertFailed(ExitStatus.STORAGE, ".*MySQL error 1045.*");
    }

    @Test
    void withoutTablesEveryCommandSaysSo() throws Exception {
        try (SenderSchema empty = SenderSchema.empty()) {
            Cli.run(empty.local(), "enqueue", id, "a").assertFailed(ExitStatus.STORAGE, ".*MySQL error 1146.*");
            Cli.run(empty.local(), "status", id).assertFailed(ExitStatus.STORAGE, ".*MySQL error 1146.*");
        }
    }

    private static Cli.Ended enqueue(String operationId, String sourceRef) throws Exception {
        return Cli.run(schema.local(), "enqueue", operationId, sourceRef);
    }

    private List<String> jobs() throws Exception {
        return schema.query("SELECT source_ref, task_id FROM sender_jobs WHERE operation_id = '" + id + "'");
    }
}
