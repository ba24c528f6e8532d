package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A wrong property fails the building of the unit with an error that names it and its rule, and leaves nothing behind. */
class UnitPropertiesIT {
    private static final String IDENTIFIER = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : -";
    private static final String BYTES = "must be a number between 1024 and 16777215";
    private static final String KEPT =
            "must keep the connection to the end of the transaction in a resource-local unit";
    private static final String GUARD = "must be OFF, WARN or FAIL";

    private static ListenerDatabase database;
    private static DataSource pool;

    @BeforeAll
    static void create() throws SQLException {
        database = ListenerDatabase.create("properties");
        pool = database.database().pool("", 5);
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @Test
    void aUnitThatFailsToBuildLeavesNothingBehind() throws ReflectiveOperationException {
        int before = OpenUnits.count();
        assertRefused(OutboxUnit.QUEUE_ID, "is missing", Map.of(OutboxUnit.NAMESPACE_ID, "ns-1"));
        assertRefused(
                "hibernate.connection.handling_mode",
                KEPT,
                complete("hibernate.connection.handling_mode", "DELAYED_ACQUISITION_AND_RELEASE_AFTER_STATEMENT"));
        assertEquals(before, OpenUnits.count());
    }

    @Test
    void aNamespaceNeedsAQueue() {
        assertRefused(OutboxUnit.QUEUE_ID, "is missing", Map.of(OutboxUnit.NAMESPACE_ID, "ns-1"));
    }

    @Test
    void aQueueNeedsANamespace() {
        assertRefused(OutboxUnit.NAMESPACE_ID, "is missing", Map.of(OutboxUnit.QUEUE_ID, "queue-1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "ns 1", " ns-1", "ns-1 ", "ns/1", "ns-1,ns-2", "n\u00e4", "ns-1\n"})
    void aNamespaceOfAnotherFormIsRefused(String namespaceId) {
        assertRefused(
                OutboxUnit.NAMESPACE_ID,
                IDENTIFIER,
                Map.of(OutboxUnit.NAMESPACE_ID, namespaceId, OutboxUnit.QUEUE_ID, "queue-1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",", "a,", ",a", "a,,b", "a, ,b", "a b", "a;b", "a,b/c", "\u00e4"})
    void aQueueOfAnotherFormIsRefusedAloneAndInAList(String queueIds) {
        assertRefused(
                OutboxUnit.QUEUE_ID,
                IDENTIFIER,
                Map.of(OutboxUnit.NAMESPACE_ID, "ns-1", OutboxUnit.QUEUE_ID, queueIds));
    }

    @Test
    void identifiersOf65CharactersAreRefused() {
        String longId = "x".repeat(65);
        assertRefused(
                OutboxUnit.NAMESPACE_ID,
                IDENTIFIER,
                Map.of(OutboxUnit.NAMESPACE_ID, longId, OutboxUnit.QUEUE_ID, "queue-1"));
        assertRefused(
                OutboxUnit.QUEUE_ID,
                IDENTIFIER,
                Map.of(OutboxUnit.NAMESPACE_ID, "ns-1", OutboxUnit.QUEUE_ID, "queue-1," + longId));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "many", "1023", "16777216", "-1", "1e6", "1_048_576", "2048.0", "99999999999"})
    void aNumberOutOfBoundsIsRefused(String bytes) {
        assertRefused(OutboxUnit.MAX_DOCUMENT_BYTES, BYTES, complete(OutboxUnit.MAX_DOCUMENT_BYTES, bytes));
    }

    @Test
    void aNumberOutOfBoundsIsRefusedEvenIfNoQueueIsNamed() {
        assertRefused(OutboxUnit.MAX_DOCUMENT_BYTES, BYTES, Map.of(OutboxUnit.MAX_DOCUMENT_BYTES, 1_023));
        assertRefused(OutboxUnit.MAX_DOCUMENT_BYTES, BYTES, Map.of(OutboxUnit.MAX_DOCUMENT_BYTES, 2_048.5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fail", "Warn", "ON", "true", "FAIL ", "OFF,WARN"})
    void aGuardOfAnotherNameOrCaseIsRefused(String guard) {
        assertRefused(OutboxUnit.LOCK_ORDER_GUARD, GUARD, complete(OutboxUnit.LOCK_ORDER_GUARD, guard));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "no", "flase", "0", "off", "false "})
    void aMappingThatIsNeitherTrueNorFalseIsRefused(String enabled) {
        assertRefused(
                OutboxUnit.MAPPING_ENABLED, "must be true or false", complete(OutboxUnit.MAPPING_ENABLED, enabled));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELAYED_ACQUISITION_AND_RELEASE_AFTER_STATEMENT",
                "DELAYED_ACQUISITION_AND_RELEASE_BEFORE_TRANSACTION_COMPLETION"
            })
    void aConnectionThatIsGivenAwayBeforeTheCommitIsRefused(String mode) {
        assertRefused("hibernate.connection.handling_mode", KEPT, complete("hibernate.connection.handling_mode", mode));
    }

    private static Map<String, Object> complete(String property, Object value) {
        Map<String, Object> properties = new HashMap<>(Queues.properties("ns-1", "queue-1"));
        properties.put(property, value);
        return properties;
    }

    private static void assertRefused(String property, String rule, Map<String, Object> properties) {
        RuntimeException refusal = assertThrows(
                RuntimeException.class,
                () -> database.database().unit(pool, Jobs.ALL, properties),
                () -> "built with " + properties);
        InvalidInputException cause = Stream.<Throwable>iterate(refusal, Objects::nonNull, Throwable::getCause)
                .filter(InvalidInputException.class::isInstance)
                .map(InvalidInputException.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no InvalidInputException", refusal));
        assertEquals(property, cause.field());
        assertTrue(cause.getMessage().startsWith(property + " " + rule), cause::getMessage);
    }
}
