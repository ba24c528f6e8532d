package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the table itself refuses, whoever writes to it. Each bad row breaks one rule only. */
class SchemaChecksIT {
    private static final Set<ResultCode> REVIEWS =
            EnumSet.complementOf(EnumSet.of(ResultCode.ACCEPTED, ResultCode.UNCONFIRMED, ResultCode.BACKPRESSURE));

    private static final int NOT_NULL = 1048;
    private static final int DATA_TOO_LONG = 1406;
    private static final int CHECK_VIOLATED = 3819;
    private static final String ID = "0123456789abcdef0123456789abcdef";

    private static TestDatabase database;
    private static Connection connection;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("checks");
        connection = database.connect();
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
        database.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        TestDatabase.execute(connection, "DELETE FROM sender_outbox");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PENDING", "SENDING", "ACCEPTED", "REVIEW"})
    void aGoodRowOfEachStateIsTaken(String state) throws SQLException {
        insert(row(state));
        assertEquals(state, database.value("SELECT state FROM sender_outbox"));
    }

    @Test
    void theEdgesOfEachRangeAreTaken() {
        assertAll(
                taken("PENDING", Map.of("send_count", "0", "lease_epoch", "0")),
                taken("PENDING", Map.of("send_count", "100", "lease_epoch", "9223372036854775807")),
                taken("PENDING", Map.of("send_deadline_at", "'2026-11-30 08:00:00.000001'")),
                taken("REVIEW", Map.of("receipt_json", "'{}'", "result_code", "'INVALID_RECEIPT'")),
                taken("REVIEW", Map.of("result_code", "'INVALID_RECEIPT'")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "operation; PENDING; operation_id; '0123456789abcdef0123456789abcde'",
                "operation; PENDING; operation_id; '0123456789ABCDEF0123456789ABCDEF'",
                "operation; PENDING; operation_id; '0123456789abcdef0123456789abcdeg'",
                "operation; PENDING; operation_id; '01234567-89ab-cdef-0123-456789ab'",
                "operation; PENDING; operation_id; ' 123456789abcdef0123456789abcdef'",
                "operation; PENDING; operation_id; '0123456789abcdef0123456789abcde\\n'",
                "operation; PENDING; operation_id; '٠123456789abcdef0123456789abcdef'",
                "key; PENDING; submission_key; '0123456789abcdef0123456789abcdef'",
                "key; PENDING; submission_key; 'outbox-task-1123456789abcdef0123456789abcdef'",
                "key; PENDING; submission_key; 'Outbox-task-0123456789abcdef0123456789abcdef'",
                "key; PENDING; submission_key; 'outbox-task-0123456789abcdef0123456789abcdef '",
                "request; PENDING; request_json; ''",
                "request; PENDING; request_json; '{'",
                "request; PENDING; request_json; 'NaN'",
                "request; PENDING; request_json; '1e400'",
                "request; PENDING; request_json; CONCAT(REPEAT('[', 101), REPEAT(']', 101))",
                "request; PENDING; request_json; '\"\\\\ud800\"'",
                "sha256; PENDING; request_sha256; REPEAT('0', 63)",
                "sha256; PENDING; request_sha256; REPEAT('A', 64)",
                "sha256; PENDING; request_sha256; REPEAT('g', 64)",
                "count; PENDING; send_count; -1",
                "count; PENDING; send_count; 101",
                "epoch; PENDING; lease_epoch; -1",
                "due; PENDING; due_at; NULL",
                "due; SENDING; due_at; NULL",
                "due; ACCEPTED; due_at; created_at",
                "due; REVIEW; due_at; created_at",
                "deadline; PENDING; send_deadline_at; created_at",
                "deadline; ACCEPTED; send_deadline_at; created_at - INTERVAL 1 MICROSECOND",
                "task; PENDING; task_id; 'task-1'",
                "task; SENDING; task_id; 'task-1'",
                "task; REVIEW; task_id; 'task-1'",
                "task; ACCEPTED; task_id; NULL",
                "receipt; ACCEPTED; receipt_json; NULL",
                "receipt; ACCEPTED; receipt_json; 'accepted'",
                "receipt; PENDING; receipt_json; '{}'",
                "receipt; SENDING; receipt_json; '{}'",
                "settled; PENDING; settled_at; created_at",
                "settled; SENDING; settled_at; created_at",
                "settled; ACCEPTED; settled_at; NULL",
                "settled; REVIEW; settled_at; NULL",
                "code; ACCEPTED; result_code; NULL",
                "code; ACCEPTED; result_code; 'UNCONFIRMED'",
                "code; REVIEW; result_code; NULL",
                "code; REVIEW; result_code; 'UNCONFIRMED'",
                "code; REVIEW; result_code; 'ACCEPTED'",
                "code; REVIEW; result_code; 'http_rejected'",
                "code; PENDING; result_code; 'ACCEPTED'",
                "code; PENDING; result_code; 'HTTP_REJECTED'",
                "code; SENDING; result_code; 'SENT'"
            })
    void aRowThatBreaksARuleIsRefusedByItsCheck(String check, String state, String column, String value) {
        Map<String, String> row = row(state);
        row.put(column, value);
        if (column.equals("operation_id")) {
            row.put("submission_key", "CONCAT('outbox-task-', operation_id)");
        }
        refused(check, row);
    }

    @ParameterizedTest
    @ValueSource(strings = {"'DONE'", "''", "'pending'", "'SENT'", "'PENDING '"})
    void aStateThatIsNotOneOfTheFourIsRefused(String state) {
        Map<String, String> row = row("REVIEW");
        row.putAll(Map.of("state", state, "settled_at", "NULL"));
        refused("state", row);
    }

    @Test
    void aReceiptInReviewIsEvidenceOfAnInvalidReceiptOnly() {
        for (ResultCode code : REVIEWS) {
            if (code != ResultCode.INVALID_RECEIPT) {
                Map<String, String> row = row("REVIEW");
                row.putAll(Map.of("receipt_json", "'{}'", "result_code", "'" + code + "'"));
                refused("receipt", row);
            }
        }
        Map<String, String> row = row("REVIEW");
        row.putAll(Map.of("receipt_json", "'no json'", "result_code", "'INVALID_RECEIPT'"));
        refused("receipt", row);
    }

    /** A zero date, which no driver can read, would stop every claim that meets it. */
    @ParameterizedTest
    @ValueSource(strings = {"created_at", "updated_at", "due_at", "settled_at"})
    void aZeroDateIsRefusedEvenWithoutStrictMode(String column) throws SQLException {
        TestDatabase.execute(connection, "SET SESSION sql_mode = ''");
        Map<String, String> row = row(column.equals("settled_at") ? "REVIEW" : "PENDING");
        row.put("due_at", column.equals("settled_at") ? "NULL" : "updated_at");
        row.put("updated_at", "'2026-11-30 08:00:00'");
        row.put("send_deadline_at", "'2026-12-01 08:00:00'");
        row.put(column, "'0000-00-00 00:00:00'");
        refused("times", row);
        TestDatabase.execute(connection, "SET SESSION sql_mode = DEFAULT");
    }

    @Test
    void eachStateHasItsCodes() {
        for (ResultCode code : ResultCode.values()) {
            String value = "'" + code + "'";
            boolean review = REVIEWS.contains(code);
            boolean open = code == ResultCode.UNCONFIRMED || code == ResultCode.BACKPRESSURE;
            for (var cell : Map.of("REVIEW", review, "PENDING", open, "SENDING", open, "ACCEPTED", !review && !open)
                    .entrySet()) {
                Map<String, String> row = row(cell.getKey());
                row.put("result_code", value);
                if (cell.getValue()) {
                    assertAll(taken(cell.getKey(), Map.of("result_code", value)));
                } else {
                    refused("code", row);
                }
            }
        }
    }

    @Test
    void whatIsTooLongIsRefusedAndNeverCut() {
        assertAll(
                error(DATA_TOO_LONG, "operation_id", "REPEAT('a', 33)"),
                error(DATA_TOO_LONG, "request_sha256", "REPEAT('0', 65)"),
                error(DATA_TOO_LONG, "namespace_id", "REPEAT('n', 65)"),
                error(DATA_TOO_LONG, "queue_id", "REPEAT('q', 65)"),
                error(DATA_TOO_LONG, "result_code", "REPEAT('C', 41)"));
    }

    @Test
    void onlyWhatMayBeMissingMayBeMissing() {
        List<String> optional = List.of("due_at", "result_code", "task_id", "receipt_json", "settled_at");
        Stream<Executable> required = row("PENDING").keySet().stream()
                .filter(column -> !optional.contains(column))
                .map(column -> error(NOT_NULL, column, "NULL"));
        assertAll(required);
        assertEquals(12, row("PENDING").size() - optional.size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "due; state = 'ACCEPTED', result_code = 'ACCEPTED', task_id = 't', receipt_json = '{}', settled_at = created_at",
                "task; state = 'ACCEPTED', result_code = 'ACCEPTED', due_at = NULL, receipt_json = '{}', settled_at = created_at",
                "receipt; state = 'ACCEPTED', result_code = 'ACCEPTED', due_at = NULL, task_id = 't', settled_at = created_at",
                "settled; state = 'REVIEW', result_code = 'HTTP_REJECTED', due_at = NULL",
                "count; send_count = send_count + 100",
                "request; request_json = 'x'",
                "key; operation_id = REPEAT('b', 32)"
            })
    void anUpdateIsCheckedLikeANewRow(String check, String assignments) throws SQLException {
        insert(row("PENDING"));
        String before = database.value("SELECT * FROM sender_outbox");

        SQLException e = assertThrows(
                SQLException.class, () -> TestDatabase.execute(connection, "UPDATE sender_outbox SET " + assignments));
        assertRefusedBy(check, e);
        assertEquals(before, database.value("SELECT * FROM sender_outbox"));
    }

    private static Map<String, String> row(String state) {
        boolean accepted = state.equals("ACCEPTED");
        boolean open = state.equals("PENDING") || state.equals("SENDING");
        Map<String, String> row = new LinkedHashMap<>();
        row.put("created_at", "'2026-11-30 08:00:00.000000'");
        row.put("namespace_id", "'ns'");
        row.put("operation_id", "'" + ID + "'");
        row.put("queue_id", "'queue-1'");
        row.put("submission_key", "'outbox-task-" + ID + "'");
        row.put("request_json", "'{}'");
        row.put("request_sha256", "REPEAT('0', 64)");
        row.put("state", "'" + state + "'");
        row.put("send_count", "1");
        row.put("lease_epoch", "1");
        row.put("due_at", open ? "created_at" : "NULL");
        row.put("send_deadline_at", "created_at + INTERVAL 24 HOUR");
        row.put("result_code", accepted ? "'ACCEPTED'" : open ? "NULL" : "'HTTP_REJECTED'");
        row.put("task_id", accepted ? "'task-1'" : "NULL");
        row.put("receipt_json", accepted ? "'{}'" : "NULL");
        row.put("updated_at", "created_at");
        row.put("settled_at", open ? "NULL" : "created_at");
        return row;
    }

    private static Executable taken(String state, Map<String, String> values) {
        return () -> {
            Map<String, String> row = row(state);
            row.putAll(values);
            TestDatabase.execute(connection, "DELETE FROM sender_outbox");
            assertDoesNotThrow(() -> insert(row));
        };
    }

    private static Executable error(int code, String column, String value) {
        return () -> {
            Map<String, String> row = row("PENDING");
            row.put(column, value);
            SQLException e = assertThrows(SQLException.class, () -> insert(row), column);
            assertEquals(code, e.getErrorCode(), e.getMessage());
        };
    }

    private static void refused(String check, Map<String, String> row) {
        assertRefusedBy(check, assertThrows(SQLException.class, () -> insert(row)));
    }

    private static void assertRefusedBy(String check, SQLException e) {
        assertEquals(CHECK_VIOLATED, e.getErrorCode(), e.getMessage());
        assertTrue(e.getMessage().contains("'ck_sender_outbox_" + check + "'"), e.getMessage());
    }

    private static void insert(Map<String, String> row) throws SQLException {
        TestDatabase.execute(
                connection,
                "INSERT INTO sender_outbox (" + String.join(", ", row.keySet()) + ") VALUES ("
                        + String.join(", ", row.values()) + ")");
    }
}
