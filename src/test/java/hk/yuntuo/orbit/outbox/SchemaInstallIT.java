package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.UpdateSummaryEnum;
import liquibase.changelog.FastCheckService;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.resource.CompositeResourceAccessor;
import liquibase.resource.DirectoryResourceAccessor;
import liquibase.resource.ResourceAccessor;
import liquibase.ui.LoggerUIService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The one definition of the table, on each of its ways into a schema. */
class SchemaInstallIT {
    private static final String INCLUDE = """
            databaseChangeLog:
              - include: {file: orbit-outbox/sender-outbox.sql}
            """;
    private static final String INCLUDE_ALL = """
            databaseChangeLog:
              - includeAll: {path: orbit-outbox/}
            """;
    private static final String DEFINITION = "SHOW CREATE TABLE sender_outbox";

    /** Kept, or its level is lost with it. */
    private static final Logger LIQUIBASE_LOG = Logger.getLogger("liquibase");

    @TempDir
    private Path folder;

    private TestSchema schema;

    @BeforeEach
    void createEmptySchema() {
        LIQUIBASE_LOG.setLevel(Level.WARNING);
        schema = MySqlServer.find().createSchema("schema_it");
    }

    @AfterEach
    void dropSchema() {
        schema.close();
    }

    @Test
    void aOneLineIncludeCreatesTheTableOnceAndARollbackDropsIt() throws Exception {
        liquibase(INCLUDE, liquibase -> liquibase.update(""));
        String created = definition();

        liquibase(INCLUDE, liquibase -> {
            assertEquals(0, liquibase.listUnrunChangeSets(null, null).size());
            liquibase.update("");
        });
        assertEquals(created, definition());
        assertEquals("1", value("SELECT COUNT(*) FROM DATABASECHANGELOG"));

        liquibase(INCLUDE, liquibase -> liquibase.rollback(1, ""));
        assertEquals(List.of(), rows("SHOW TABLES LIKE 'sender_outbox'"));
        assertEquals("0", value("SELECT COUNT(*) FROM DATABASECHANGELOG"));

        liquibase(INCLUDE, liquibase -> liquibase.update(""));
        assertEquals(created, definition());
    }

    @Test
    void theChangelogKeepsItsNameHoweverItIsIncluded() throws Exception {
        liquibase(INCLUDE, liquibase -> liquibase.update(""));

        liquibase(INCLUDE_ALL, liquibase -> liquibase.update(""));
        assertEquals(
                "orbit-outbox/sender-outbox.sql|1|orbit-outbox",
                value("SELECT filename, id, author FROM DATABASECHANGELOG"));
    }

    @Test
    void everyWayInGivesTheSameTable() throws Exception {
        liquibase(INCLUDE, liquibase -> liquibase.update(""));
        String byLiquibase = definition();

        try (TestSchema other = MySqlServer.find().createSchema("schema_it");
                Connection connection = other.connect()) {
            OutboxSchema.create(connection);
            assertEquals(List.of(byLiquibase), TestDatabase.rows(connection, DEFINITION));
        }
        try (TestSchema other = MySqlServer.find().createSchema("schema_it");
                Connection connection = connect(other, "allowMultiQueries=true")) {
            TestDatabase.execute(connection, OutboxSchema.sql());
            assertEquals(List.of(byLiquibase), TestDatabase.rows(connection, DEFINITION));
        }
    }

    @Test
    void theSqlIsTheChangelogItself() throws IOException {
        byte[] sql = OutboxSchema.sql().getBytes(StandardCharsets.UTF_8);

        assertEquals("orbit-outbox/sender-outbox.sql", OutboxSchema.CHANGELOG);
        try (InputStream packaged = OutboxSchema.class.getResourceAsStream("/" + OutboxSchema.CHANGELOG)) {
            assertArrayEquals(packaged.readAllBytes(), sql);
        }
        assertArrayEquals(Files.readAllBytes(Path.of("liquibase", "sender-outbox.sql")), sql);
        assertTrue(OutboxSchema.sql().contains("-- rollback DROP TABLE sender_outbox;"));
    }

    @Test
    void creatingItTwiceIsAnErrorThatNamesTheTableAndTouchesNothing() throws SQLException {
        try (Connection connection = schema.connect()) {
            OutboxSchema.create(connection);
            TestDatabase.execute(connection, """
                    INSERT INTO sender_outbox VALUES ('ns', REPEAT('a', 32), 'q', CONCAT('outbox-task-', REPEAT('a', 32)), '{}',
                        REPEAT('0', 64), 'PENDING', 0, 0, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 24 HOUR, NULL, NULL, NULL,
                        UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), NULL)
                    """);
            String row = value("SELECT * FROM sender_outbox");

            OutboxStorageException e =
                    assertThrows(OutboxStorageException.class, () -> OutboxSchema.create(connection));
            assertTrue(e.getMessage().contains("sender_outbox exists already"), e.getMessage());
            assertEquals(row, value("SELECT * FROM sender_outbox"));
            assertTrue(connection.isValid(1));
        }
    }

    @Test
    void withoutASchemaTheErrorSaysSo() throws SQLException {
        MySqlServer server = MySqlServer.find();
        try (Connection connection =
                DriverManager.getConnection(server.jdbcUrl(""), server.user(), server.password())) {
            OutboxStorageException e =
                    assertThrows(OutboxStorageException.class, () -> OutboxSchema.create(connection));
            assertTrue(e.getMessage().contains("sender_outbox could not be created"), e.getMessage());
        }
    }

    @FunctionalInterface
    private interface Migration {
        void run(Liquibase liquibase) throws Exception;
    }

    /** Runs a service's own changelog, which is a file, while the library's is found on the class path. */
    private void liquibase(String changelog, Migration migration) throws Exception {
        Files.writeString(folder.resolve("changelog.yaml"), changelog);
        ResourceAccessor resources =
                new CompositeResourceAccessor(new DirectoryResourceAccessor(folder), new ClassLoaderResourceAccessor());
        Map<String, Object> quiet =
                Map.of("liquibase.analytics.enabled", false, Scope.Attr.ui.name(), new LoggerUIService());
        Scope.child(quiet, () -> {
            // Else "nothing to do" is answered from memory, even after a rollback.
            Scope.getCurrentScope().getSingleton(FastCheckService.class).clearCache();
            JdbcConnection connection = new JdbcConnection(schema.connect());
            try (Liquibase liquibase = new Liquibase(
                    "changelog.yaml",
                    resources,
                    DatabaseFactory.getInstance().findCorrectDatabaseImplementation(connection))) {
                liquibase.setShowSummary(UpdateSummaryEnum.OFF);
                migration.run(liquibase);
            }
        });
    }

    private static Connection connect(TestSchema schema, String options) throws SQLException {
        String url = schema.jdbcUrl();
        return DriverManager.getConnection(
                url + (url.contains("?") ? "&" : "?") + options, schema.user(), schema.password());
    }

    private String definition() throws SQLException {
        return value(DEFINITION);
    }

    private String value(String sql) throws SQLException {
        List<String> rows = rows(sql);
        assertEquals(1, rows.size(), sql);
        return rows.get(0);
    }

    private List<String> rows(String sql) throws SQLException {
        try (Connection connection = schema.connect()) {
            return TestDatabase.rows(connection, sql);
        }
    }
}
