package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hibernate holds the entity against the migrated table. */
class EntityValidationIT {
    private static final Map<String, Object> VALIDATE = Map.of("hibernate.hbm2ddl.auto", "validate");

    @Test
    void theEntityFitsTheTableAndHasEveryColumn() throws SQLException {
        try (TestDatabase database = TestDatabase.create("validation")) {
            EntityManagerFactory factory = database.unit("", VALIDATE);

            List<String> columns = database.rows("SELECT column_name FROM information_schema.columns"
                    + " WHERE table_schema = DATABASE() AND table_name = 'sender_outbox'");
            assertEquals(
                    columns.size(),
                    factory.getMetamodel()
                            .entity(OutboxEntity.class)
                            .getAttributes()
                            .size());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROP CHECK ck_sender_outbox_times, RENAME COLUMN updated_at TO changed_at",
                "RENAME COLUMN queue_id TO queue",
                "DROP CHECK ck_sender_outbox_times, MODIFY updated_at VARCHAR(30) NOT NULL",
                "MODIFY result_code INT NULL",
                "RENAME TO outbox"
            })
    void theValidationFailsOnAnotherTable(String alteration) throws SQLException {
        try (TestDatabase other = TestDatabase.create("validation")) {
            other.update("ALTER TABLE sender_outbox " + alteration);

            Exception e = assertThrows(Exception.class, () -> other.unit("", VALIDATE));
            assertTrue(causes(e).contains("Schema validation: "), causes(e));
        }
    }

    private static String causes(Throwable error) {
        return Stream.iterate(error, Objects::nonNull, Throwable::getCause)
                .map(Throwable::toString)
                .collect(Collectors.joining("\n"));
    }
}
