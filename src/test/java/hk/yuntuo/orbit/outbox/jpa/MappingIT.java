package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.CapturedLog;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.spi.EventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A unit whose database has no {@code sender_outbox}, alone and beside one that has it. */
class MappingIT {
    private TestDatabase bare;

    @BeforeEach
    void open() throws SQLException {
        bare = TestDatabase.create("mapping");
        bare.update("DROP TABLE sender_outbox");
    }

    @AfterEach
    void close() {
        bare.close();
    }

    private EntityManagerFactory bareUnit(Map<String, Object> properties) {
        return bare.unit(bare.pool("", 5), List.of(BusinessJob.class), properties);
    }

    @Test
    void theOutboxEntityIsMappedByDefault() {
        assertTrue(entities(bareUnit(Map.of())).contains(OutboxEntity.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE"})
    void theOutboxEntityIsNotMappedIfTheTextSaysSo(String value) {
        assertEquals(List.of(BusinessJob.class), entities(bareUnit(Map.of(OutboxUnit.MAPPING_ENABLED, value))));
    }

    @Test
    void theOutboxEntityIsNotMappedIfTheBooleanSaysSo() {
        assertEquals(List.of(BusinessJob.class), entities(bareUnit(Map.of(OutboxUnit.MAPPING_ENABLED, false))));
    }

    @Test
    void aUnitThatNamesTheOutboxEntityHasItInAnyCase() {
        EntityManagerFactory unit =
                bare.unit(bare.pool("", 5), List.of(OutboxEntity.class), Map.of(OutboxUnit.MAPPING_ENABLED, false));
        assertEquals(List.of(OutboxEntity.class), entities(unit));
    }

    @Test
    void withoutTheMappingTheValidationPassesInASchemaWithoutTheTable() {
        String validation = "hibernate.hbm2ddl.auto";
        assertThrows(RuntimeException.class, () -> bareUnit(Map.of(validation, "validate")));
        EntityManagerFactory unit = bareUnit(Map.of(validation, "validate", OutboxUnit.MAPPING_ENABLED, "false"));
        assertTrue(unit.isOpen());
    }

    @ParameterizedTest
    @ValueSource(strings = {"create", "create-drop", "create-only", "update", "drop"})
    void aUnitWhoseSchemaHibernateWritesLeavesTheTableAlone(String action) throws SQLException {
        try (ListenerDatabase full = ListenerDatabase.create("mapping");
                CapturedLog log = CapturedLog.of(OutboxMapping.class.getName())) {
            String id = OperationId.next().value();
            full.unit(Map.of()).runInTransaction(em -> em.persist(new AssignedJob(id)));
            String table =
                    full.database().rows("SHOW CREATE TABLE sender_outbox").get(0);

            EntityManagerFactory writing = full.database()
                    .unit(
                            full.database().pool("", 5),
                            List.of(BusinessJob.class),
                            Map.of("hibernate.hbm2ddl.auto", action));
            assertEquals(List.of(BusinessJob.class), entities(writing));
            writing.close();

            assertEquals(1, full.commands(List.of(id)));
            assertEquals(
                    table,
                    full.database().rows("SHOW CREATE TABLE sender_outbox").get(0));
            assertTrue(log.lines().get(0).startsWith("WARN outbox.boot"), log.lines()::toString);
        }
    }

    @Test
    void theStandardPropertyOfSchemaGenerationCountsToo() {
        EntityManagerFactory unit =
                bareUnit(Map.of("jakarta.persistence.schema-generation.database.action", "drop-and-create"));
        assertEquals(List.of(BusinessJob.class), entities(unit));
    }

    @Test
    void theMappingCanBeHadNonetheless() {
        EntityManagerFactory unit =
                bareUnit(Map.of("hibernate.hbm2ddl.auto", "create", OutboxUnit.MAPPING_ENABLED, "true"));
        assertTrue(entities(unit).contains(OutboxEntity.class));
    }

    @Test
    void ofTwoUnitsAtOnceTheOneEnqueuesAndTheOtherSendsNoOutboxStatement() throws SQLException {
        try (ListenerDatabase full = ListenerDatabase.create("mapping")) {
            EntityManagerFactory with = full.unit(Map.of());
            EntityManagerFactory without = bareUnit(Map.of(OutboxUnit.MAPPING_ENABLED, "false"));
            String id = OperationId.next().value();

            with.runInTransaction(em -> em.persist(new AssignedJob(id)));
            List<String> statements = statementsOf(without, id);

            assertEquals(1, full.commands(List.of(id)));
            assertEquals("1", bare.value("SELECT COUNT(*) FROM business_job WHERE operation_id = '" + id + "'"));
            assertTrue(statements.stream().noneMatch(sql -> sql.contains("outbox")), statements::toString);
            assertTrue(statements.stream().anyMatch(sql -> sql.startsWith("insert into business_job")));
        }
    }

    /** What the server receives of persisting a plain entity. */
    private List<String> statementsOf(EntityManagerFactory unit, String id) throws SQLException {
        try (StatementLog log = StatementLog.open(bare)) {
            log.clear();
            unit.runInTransaction(em -> em.persist(new BusinessJob(id, id)));
            return log.all();
        }
    }

    @Test
    void aPersistWithinThePersistOfAnotherUnitEnqueuesInItsOwn() throws SQLException {
        try (ListenerDatabase full = ListenerDatabase.create("mapping");
                ListenerDatabase other = ListenerDatabase.create("mapping")) {
            EntityManagerFactory outerUnit = full.unit(Map.of());
            EntityManagerFactory innerUnit = other.unit(Map.of());
            EntityManagerFactory without = bareUnit(Map.of(OutboxUnit.MAPPING_ENABLED, "false"));
            AssignedJob outer = new AssignedJob(OperationId.next().value());
            AssignedJob inner = new AssignedJob(OperationId.next().value());
            outer.requesting(
                    () -> {
                        without.runInTransaction(
                                em -> em.persist(new BusinessJob(inner.outboxOperationId(), inner.note())));
                        innerUnit.runInTransaction(em -> em.persist(inner));
                        return inner.outboxRequest();
                    },
                    AssignedJob.class);

            outerUnit.runInTransaction(em -> em.persist(outer));

            List<String> both = List.of(outer.outboxOperationId(), inner.outboxOperationId());
            assertEquals(List.of(outer.outboxOperationId()), stored(full, both));
            assertEquals(List.of(inner.outboxOperationId()), stored(other, both));
        }
    }

    private static List<String> stored(ListenerDatabase database, List<String> ids) throws SQLException {
        return database.database()
                .rows("SELECT operation_id FROM sender_outbox WHERE operation_id IN ('" + String.join("','", ids)
                        + "')");
    }

    @Test
    void aUnitWithoutSourcesKeepsHibernatesOwnEventListeners() throws SQLException {
        EntityManagerFactory unit = bareUnit(Map.of(OutboxUnit.MAPPING_ENABLED, "false"));
        for (EventType<?> type : List.of(EventType.PERSIST, EventType.PERSIST_ONFLUSH, EventType.MERGE)) {
            assertEquals(List.of(), foreign(unit, type), type::toString);
            assertEquals(1, listeners(unit, type).size(), type::toString);
        }
        for (EventType<?> type :
                List.of(EventType.PRE_INSERT, EventType.POST_INSERT, EventType.POST_DELETE, EventType.PRE_UPSERT)) {
            assertEquals(List.of(), foreign(unit, type), type::toString);
        }
    }

    @Test
    void aUnitWithSourcesHasListenersOfItsOwn() throws SQLException {
        try (ListenerDatabase full = ListenerDatabase.create("mapping")) {
            EntityManagerFactory unit = full.unit(Map.of());
            assertTrue(foreign(unit, EventType.PERSIST).contains(SessionAtHand.class.getName() + "$Persist"));
            assertTrue(foreign(unit, EventType.PRE_INSERT).contains(SourceRows.class.getName()));
        }
    }

    private static List<String> foreign(EntityManagerFactory unit, EventType<?> type) {
        return listeners(unit, type).stream()
                .filter(name -> !name.startsWith("org.hibernate."))
                .collect(Collectors.toList());
    }

    private static List<String> listeners(EntityManagerFactory unit, EventType<?> type) {
        List<String> names = new ArrayList<>();
        unit.unwrap(SessionFactoryImplementor.class)
                .getEventListenerRegistry()
                .getEventListenerGroup(type)
                .fireEventOnEachListener(
                        names, (listener, list) -> list.add(listener.getClass().getName()));
        return names;
    }

    private static List<Class<?>> entities(EntityManagerFactory unit) {
        return unit.getMetamodel().getEntities().stream()
                .<Class<?>>map(entity -> entity.getJavaType())
                .toList();
    }
}
