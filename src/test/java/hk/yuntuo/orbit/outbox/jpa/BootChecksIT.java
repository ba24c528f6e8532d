package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.BareJob;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.Delivery;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.Errand;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.ListenedNote;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.CapturedLog;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.PersistenceConfiguration;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the building of a unit reports: each thing that would fail or be missed later, once, and nothing of a right unit. */
class BootChecksIT {
    private static final Map<String, Object> QUEUE = Queues.properties(Requests.NAMESPACE, Requests.QUEUE);

    private static TestDatabase database;
    private static DataSource pool;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("boot");
        pool = database.pool("", 5);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    /** What the building says, DEBUG aside. */
    private static List<String> reports(List<Class<?>> entities, Map<String, Object> properties) {
        try (CapturedLog log = CapturedLog.of("hk.yuntuo.orbit.outbox.jpa")) {
            database.unit(pool, entities, properties).close();
            return log.lines();
        }
    }

    private static List<String> reports(List<Class<?>> entities, String property, Object value) {
        Map<String, Object> properties = new HashMap<>(QUEUE);
        properties.put(property, value);
        return reports(entities, properties);
    }

    private static void assertOne(List<String> reports, String level, String... parts) {
        assertEquals(1, reports.size(), reports::toString);
        assertTrue(reports.get(0).startsWith(level + " outbox.boot unit=test "), reports::toString);
        for (String part : parts) {
            assertTrue(reports.get(0).contains(part), () -> part + " is not in " + reports);
        }
    }

    @Test
    void aRightUnitIsBuiltSilently() {
        assertEquals(List.of(), reports(List.of(AssignedJob.class, BusinessJob.class), QUEUE));
    }

    @Test
    void aRightUnitThatNamesTheOutboxEntityIsBuiltSilently() {
        assertEquals(
                List.of(), reports(List.of(AssignedJob.class, OutboxEntity.class), OutboxUnit.MAPPING_ENABLED, false));
    }

    @Test
    void aUnitOfPlainEntitiesIsBuiltSilently() {
        assertEquals(List.of(), reports(List.of(BusinessJob.class), Map.of()));
        assertEquals(List.of(), reports(List.of(BusinessJob.class), QUEUE));
        assertEquals(List.of(), reports(List.of(BusinessJob.class), OutboxUnit.MAPPING_ENABLED, "false"));
        assertEquals(List.of(), reports(List.of(BusinessJob.class), "hibernate.jpa_callbacks.enabled", "false"));
    }

    @Test
    void anAbstractEntityThatLeavesTheListenerToItsSubclassesIsNotReported() {
        assertEquals(List.of(), reports(List.of(Errand.class, Delivery.class), QUEUE));
    }

    @Test
    void aRightUnitWithADefaultListenerIsBuiltSilently() {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("test")
                .managedClass(BareJob.class)
                .mappingFile("hk/yuntuo/orbit/outbox/jpa/listener-by-default.xml")
                .property("jakarta.persistence.nonJtaDataSource", pool);
        QUEUE.forEach(configuration::property);
        try (CapturedLog log = CapturedLog.of("hk.yuntuo.orbit.outbox.jpa")) {
            configuration.createEntityManagerFactory().close();
            assertEquals(List.of(), log.lines());
        }
    }

    @Test
    void callbacksThatAreDisabledAreReported() {
        assertOne(
                reports(List.of(AssignedJob.class), "hibernate.jpa_callbacks.enabled", "false"),
                "WARN",
                "hibernate.jpa_callbacks.enabled=false",
                AssignedJob.class.getName(),
                "Outbox.enqueue");
    }

    @Test
    void aListenerWithoutTheMappingIsReported() {
        assertOne(
                reports(List.of(AssignedJob.class), OutboxUnit.MAPPING_ENABLED, false),
                "WARN",
                "OutboxEntity is not mapped",
                AssignedJob.class.getName(),
                "sender_outbox");
    }

    @Test
    void aPropertyThatIsUnknownIsReported() {
        assertOne(
                reports(List.of(BusinessJob.class), "orbit.outbox.queue-ids", "queue-1"),
                "WARN",
                "orbit.outbox.queue-ids");
    }

    @Test
    void aSourceWithoutTheListenerIsReported() {
        assertOne(
                reports(List.of(BareJob.class), QUEUE),
                "WARN",
                BareJob.class.getName() + " is an OutboxSource without OutboxListener",
                "Outbox.enqueue");
    }

    @Test
    void aListenerWithoutTheInterfaceIsReported() {
        assertOne(
                reports(List.of(ListenedNote.class), QUEUE),
                "WARN",
                ListenedNote.class.getName() + " has OutboxListener but is no OutboxSource");
    }

    @Test
    void aListenerWithoutAQueueIsToldOfAndNoWarning() {
        assertOne(
                reports(List.of(AssignedJob.class), Map.of()),
                "INFO",
                AssignedJob.class.getName(),
                OutboxUnit.NAMESPACE_ID,
                OutboxUnit.QUEUE_ID,
                "bound");
    }

    @Test
    void aSourceWithoutTheListenerNeedsNoQueue() {
        List<String> reports = reports(List.of(BareJob.class), Map.of());
        assertOne(reports, "WARN", "without OutboxListener");
    }

    @Test
    void everythingThatIsWrongIsReported() {
        Map<String, Object> wrong =
                Map.of("hibernate.jpa_callbacks.enabled", "false", OutboxUnit.MAPPING_ENABLED, "false");
        List<String> reports = reports(List.of(AssignedJob.class, BareJob.class, ListenedNote.class), wrong);
        assertEquals(
                List.of("WARN", "WARN", "WARN", "WARN", "INFO"),
                reports.stream().map(line -> line.split(" ")[0]).toList(),
                reports::toString);
    }
}
