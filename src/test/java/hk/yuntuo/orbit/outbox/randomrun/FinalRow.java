package hk.yuntuo.orbit.outbox.randomrun;

import hk.yuntuo.orbit.outbox.support.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A row at the end of a run, read by plain SQL, with what the business row says of its transaction and its task, and what each committed callback has left: the
 * epoch in whose name it ran, and the task.
 */
record FinalRow(
        String operationId,
        String submissionKey,
        String document,
        String state,
        int sendCount,
        long leaseEpoch,
        @Nullable String resultCode,
        @Nullable String taskId,
        @Nullable String receipt,
        String attempt,
        @Nullable String taskOfBusinessRow,
        @Nullable String callbacks) {

    static Map<String, FinalRow> all(TestDatabase database) throws SQLException {
        Map<String, FinalRow> rows = new TreeMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT o.*, b.note, b.task_id AS business_task_id,"
                        + " (SELECT GROUP_CONCAT(lease_epoch, ' ', task_id) FROM callback_trace t"
                        + " WHERE t.operation_id = o.operation_id) AS callbacks FROM sender_outbox o"
                        + " JOIN business_job b USING (operation_id)")) {
            while (row.next()) {
                String id = row.getString("operation_id");
                rows.put(
                        id,
                        new FinalRow(
                                id,
                                row.getString("submission_key"),
                                row.getString("request_json"),
                                row.getString("state"),
                                row.getInt("send_count"),
                                row.getLong("lease_epoch"),
                                row.getString("result_code"),
                                row.getString("task_id"),
                                row.getString("receipt_json"),
                                row.getString("note"),
                                row.getString("business_task_id"),
                                row.getString("callbacks")));
            }
        }
        return rows;
    }
}
