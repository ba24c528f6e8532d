package hk.yuntuo.orbit.outbox.support;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.OperationId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Rows in states that take hours to reach by themselves. */
public final class OutboxRows {
    private OutboxRows() {}

    public static List<String> enqueue(Outbox outbox, int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = OperationId.next().value();
            String payload = "{\"n\":" + i + "}";
            outbox.transactions().inTransaction(id, em -> outbox.enqueue(em, id, Requests.of(payload)));
            ids.add(id);
        }
        return ids;
    }

    /** Settled history of the same queue, with realistic documents. */
    public static void addAccepted(TestDatabase database, int count) throws SQLException {
        database.update("INSERT INTO sender_outbox (namespace_id, operation_id, queue_id, submission_key, request_json,"
                + " request_sha256, state, send_count, lease_epoch, send_deadline_at, result_code, task_id, receipt_json,"
                + " created_at, updated_at, settled_at)"
                + " WITH RECURSIVE d AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM d WHERE n < 999)"
                + " SELECT 'ns-1', id, 'queue-1', CONCAT('outbox-task-', id), '{\"payload\":{\"n\":1}}', REPEAT('0', 64),"
                + " 'ACCEPTED', 1, 1, t + INTERVAL 24 HOUR, 'ACCEPTED', CONCAT('task-', n), '{\"task_id\":\"x\"}', t, t, t"
                + " FROM (SELECT a.n * 1000 + b.n AS n, LPAD(LOWER(HEX(a.n * 1000 + b.n)), 32, '0') AS id,"
                + " UTC_TIMESTAMP(6) - INTERVAL 1 DAY AS t FROM d a CROSS JOIN d b) rows_of WHERE n < " + count);
    }

    public static void makeDue(TestDatabase database, String operationId) throws SQLException {
        database.update(
                "UPDATE sender_outbox SET due_at = UTC_TIMESTAMP(6) WHERE namespace_id = 'ns-1' AND operation_id = '"
                        + operationId + "'");
    }
}
