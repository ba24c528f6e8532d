package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The table as the design draws it. */
class SchemaIT {
    /** Name, type, null, collation. */
    private static final String COLUMNS = """
            namespace_id|varchar(64)|NO|utf8mb4_0900_bin
            operation_id|char(32)|NO|utf8mb4_0900_bin
            queue_id|varchar(64)|NO|utf8mb4_0900_bin
            submission_key|varchar(64)|NO|utf8mb4_0900_bin
            request_json|mediumtext|NO|utf8mb4_0900_bin
            request_sha256|char(64)|NO|utf8mb4_0900_bin
            state|varchar(16)|NO|utf8mb4_0900_bin
            send_count|int|NO|null
            lease_epoch|bigint|NO|null
            due_at|datetime(6)|YES|null
            send_deadline_at|datetime(6)|NO|null
            result_code|varchar(40)|YES|utf8mb4_0900_bin
            task_id|varchar(128)|YES|utf8mb4_0900_bin
            receipt_json|mediumtext|YES|utf8mb4_0900_bin
            created_at|datetime(6)|NO|null
            updated_at|datetime(6)|NO|null
            settled_at|datetime(6)|YES|null""";

    private static final List<String> CONSTRAINTS = List.of(
            "PRIMARY|PRIMARY KEY",
            "ck_sender_outbox_code|CHECK",
            "ck_sender_outbox_count|CHECK",
            "ck_sender_outbox_deadline|CHECK",
            "ck_sender_outbox_due|CHECK",
            "ck_sender_outbox_epoch|CHECK",
            "ck_sender_outbox_key|CHECK",
            "ck_sender_outbox_operation|CHECK",
            "ck_sender_outbox_receipt|CHECK",
            "ck_sender_outbox_request|CHECK",
            "ck_sender_outbox_settled|CHECK",
            "ck_sender_outbox_sha256|CHECK",
            "ck_sender_outbox_state|CHECK",
            "ck_sender_outbox_task|CHECK",
            "ck_sender_outbox_times|CHECK");
    private static final List<String> INDEXES = List.of(
            "PRIMARY|0|namespace_id,operation_id|BTREE|YES", "ix_sender_due|1|namespace_id,queue_id,due_at|BTREE|YES");

    private static final String OUTBOX = " WHERE table_schema = DATABASE() AND table_name = 'sender_outbox'";
    private static final String LIST_CONSTRAINTS =
            "SELECT constraint_name, constraint_type FROM information_schema.table_constraints" + OUTBOX
                    + " AND enforced = 'YES' ORDER BY constraint_type = 'CHECK', constraint_name";

    private static TestDatabase database;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("schema");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void columnsHaveTheTypesOfTheDesignAndNoDefaults() throws SQLException {
        assertEquals(
                COLUMNS.lines().toList(),
                database.rows("SELECT column_name, column_type, is_nullable, collation_name"
                        + " FROM information_schema.columns" + OUTBOX + " ORDER BY ordinal_position"));
        assertEquals("17", count("columns", " AND column_default IS NULL AND extra = ''"));
    }

    @Test
    void theTableItselfIsCollatedByCodePoint() throws SQLException {
        assertEquals(
                "InnoDB|utf8mb4_0900_bin",
                database.value("SELECT engine, table_collation FROM information_schema.tables" + OUTBOX));
    }

    @Test
    void thereAreThePrimaryKeyAndOneIndexMore() throws SQLException {
        assertEquals(
                INDEXES,
                database.rows("SELECT index_name, MAX(non_unique), GROUP_CONCAT(column_name ORDER BY seq_in_index),"
                        + " MAX(index_type), MAX(is_visible) FROM information_schema.statistics" + OUTBOX
                        + " GROUP BY index_name ORDER BY MAX(non_unique)"));
    }

    @Test
    void everyColumnIsCommentedInChineseAndEnglish() throws SQLException {
        String bilingual = "'^.*\\\\p{Han}.* \\\\| [\\\\x20-\\\\x7e]*[A-Za-z]{3}[\\\\x20-\\\\x7e]*$'";

        assertEquals("17", count("columns", " AND REGEXP_LIKE(column_comment, " + bilingual + ")"));
        assertEquals("1", count("tables", " AND REGEXP_LIKE(table_comment, " + bilingual + ")"));
    }

    @Test
    void allConstraintsAreEnforcedAndNoneIsAForeignKey() throws SQLException {
        assertEquals(CONSTRAINTS, database.rows(LIST_CONSTRAINTS));
        assertEquals("0", count("key_column_usage", " AND referenced_table_name IS NOT NULL"));
    }

    @Test
    void nothingRunsBesideTheTable() throws SQLException {
        for (String kind : List.of("triggers WHERE trigger", "routines WHERE routine", "events WHERE event")) {
            String sql = "SELECT COUNT(*) FROM information_schema." + kind + "_schema = DATABASE()";
            assertEquals("0", database.value(sql), kind);
        }
    }

    @Test
    void twoSchemasOfOneServerCanBothHaveIt() throws SQLException {
        try (TestSchema other = MySqlServer.find().createSchema("schema_other");
                Connection connection = other.connect()) {
            OutboxSchema.create(connection);
            assertEquals(CONSTRAINTS, TestDatabase.rows(connection, LIST_CONSTRAINTS));
        }
    }

    @Test
    void idsThatDifferInCaseAccentOrSpaceAreDifferentRows() throws SQLException {
        List<String> namespaces = List.of("ns", "NS", "Ns", "ñs", "ns ", " ns", "ns\u0301", "ｎｓ", "");
        for (String namespace : namespaces) {
            insert(namespace);
        }
        for (String namespace : namespaces) {
            assertEquals("1", count("namespace_id = '" + namespace + "'"), namespace);
        }
        SQLException e = assertThrows(SQLException.class, () -> insert("ns"));
        assertEquals(1062, e.getErrorCode());
    }

    private static void insert(String namespace) throws SQLException {
        database.update("INSERT INTO sender_outbox VALUES ('" + namespace + "', REPEAT('a', 32), 'queue-1',"
                + " CONCAT('outbox-task-', REPEAT('a', 32)), '{}', REPEAT('0', 64), 'PENDING', 0, 0, UTC_TIMESTAMP(6),"
                + " UTC_TIMESTAMP(6) + INTERVAL 24 HOUR, NULL, NULL, NULL, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), NULL)");
    }

    private static String count(String where) throws SQLException {
        return database.value("SELECT COUNT(*) FROM sender_outbox WHERE " + where);
    }

    private static String count(String table, String condition) throws SQLException {
        return database.value("SELECT COUNT(*) FROM information_schema." + table + OUTBOX + condition);
    }
}
