package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.persistence.Persistence;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InitIT {
    private static final String TABLES =
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name";

    private final SenderSchema schema = SenderSchema.empty();

    @AfterEach
    void drop() {
        schema.close();
    }

    @Test
    void createsTheTablesOnce() throws Exception {
        Cli.run(schema.local(), "init").assertOk("sender_schema_initialized=true foreign_keys=0");
        Cli.run(schema.local(), "init")
                .assertFailed(
                        ExitStatus.SCHEMA_EXISTS,
                        "This schema has sender_jobs and sender_outbox already; nothing was changed\\.");
    }

    @Test
    void refusesASchemaWithOneOfTheTablesAndLeavesItAsItIs() throws Exception {
        schema.execute("CREATE TABLE sender_outbox (x INT)");
        Cli.run(schema.local(), "init")
                .assertFailed(
                        ExitStatus.SCHEMA_EXISTS, "This schema has sender_outbox already; nothing was changed\\.");
        assertEquals(List.of("sender_outbox"), schema.query(TABLES));
    }

    @Test
    void all22ColumnsHaveAChineseAndAnEnglishCommentAndThereIsNoForeignKey() throws Exception {
        assertEquals(0, new SchemaInit(schema.address()).run());
        List<String> comments = schema.query("""
            SELECT column_comment FROM information_schema.columns
            WHERE table_schema = DATABASE() AND table_name IN ('sender_jobs', 'sender_outbox')
            """);
        assertEquals(22, comments.size());
        for (String comment : comments) {
            assertTrue(comment.matches("(?s)[^|]*\\p{IsHan}[^|]* \\| [^|\\p{IsHan}]+"), comment);
        }
        assertEquals(
                List.of("0"),
                schema.query(
                        "SELECT COUNT(*) FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE()"));
    }

    @Test
    void theCountOfForeignKeysIsReal() throws Exception {
        assertEquals(0, new SchemaInit(schema.address()).run());
        schema.execute("ALTER TABLE sender_jobs ADD CONSTRAINT fk FOREIGN KEY (namespace_id, operation_id)"
                + " REFERENCES sender_outbox (namespace_id, operation_id)");
        try (Connection connection = schema.address().connect()) {
            assertEquals(1, SchemaInit.foreignKeys(connection));
        }
    }

    @Test
    void hibernateFindsBothTablesAsItMapsThem() throws Exception {
        new SchemaInit(schema.address()).run();
        DatabaseAddress address = schema.address();
        Persistence.createEntityManagerFactory(
                        "task-outbox",
                        Map.of(
                                "hibernate.hbm2ddl.auto", "validate",
                                "hibernate.connection.provider_disables_autocommit", "false",
                                "jakarta.persistence.jdbc.url", address.url(),
                                "jakarta.persistence.jdbc.user", address.user(),
                                "jakarta.persistence.jdbc.password", address.password()))
                .close();
    }

    @Test
    void aFailureHalfWayIsUndoneAndInitCanRunAgain() throws Exception {
        String user = "half_" + schema.name().substring(schema.name().length() - 12);
        schema.execute("CREATE USER '" + user + "'@'%' IDENTIFIED BY 'pw'");
        try {
            grant(user, "CREATE, DROP", "sender_outbox");
            grant(user, "ALL", "DATABASECHANGELOG");
            grant(user, "ALL", "DATABASECHANGELOGLOCK");
            Map<String, String> limited = Map.of(
                    DatabaseAddress.URL,
                    schema.address().url(),
                    DatabaseAddress.USER,
                    user,
                    DatabaseAddress.PASSWORD,
                    "pw");
            Cli.run(limited, "init")
                    .assertFailed(
                            ExitStatus.STORAGE,
                            "The business database refused \\(MySQL error 1142, SQLSTATE 42000\\)\\.");
            assertEquals(List.of("DATABASECHANGELOG", "DATABASECHANGELOGLOCK"), schema.query(TABLES));
            assertEquals(0, new SchemaInit(schema.address()).run());
        } finally {
            schema.execute("DROP USER '" + user + "'@'%'");
        }
    }

    @Test
    void ofTwoAtOnceOneCreatesTheTables() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        Callable<ExitStatus> init = () -> {
            together.await();
            try {
                new SchemaInit(schema.address()).run();
                return ExitStatus.OK;
            } catch (CommandFailedException e) {
                return e.status();
            }
        };
        FutureTask<ExitStatus> one = new FutureTask<>(init);
        FutureTask<ExitStatus> two = new FutureTask<>(init);
        new Thread(one).start();
        new Thread(two).start();
        assertEquals(
                Set.of(ExitStatus.OK, ExitStatus.SCHEMA_EXISTS),
                Set.of(one.get(60, TimeUnit.SECONDS), two.get(60, TimeUnit.SECONDS)));
    }

    @Test
    void tablesThatWereDroppedByHandAreNotTakenForCreated() throws Exception {
        new SchemaInit(schema.address()).run();
        schema.execute("DROP TABLE sender_jobs, sender_outbox");
        CommandFailedException e =
                assertThrows(CommandFailedException.class, () -> new SchemaInit(schema.address()).run());
        assertEquals(ExitStatus.SCHEMA_EXISTS, e.status());
    }

    @Test
    void aUrlWithoutASchemaIsRefused() throws Exception {
        Map<String, String> environment = new HashMap<>(schema.local());
        environment.merge(DatabaseAddress.URL, schema.name(), (url, name) -> url.replace(name, ""));
        Cli.run(environment, "init")
                .assertFailed(ExitStatus.INVALID_INPUT, "ORBIT_SENDER_JDBC_URL must name a schema\\.");
    }

    private void grant(String user, String rights, String table) throws Exception {
        schema.execute("GRANT " + rights + " ON " + schema.name() + "." + table + " TO '" + user + "'@'%'");
    }
}
