package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows. A DATETIME is read as a LocalDateTime, which no time zone of the JVM, the session or the driver touches, and is UTC by
 * the table's rule.
 */
final class Rows {
    private static final DateTimeFormatter DATETIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS").withZone(ZoneOffset.UTC);

    private Rows() {}

    static OutboxRecord record(ResultSet row) throws SQLException {
        return new OutboxRecord(
                row.getString("namespace_id"),
                row.getString("operation_id"),
                row.getString("queue_id"),
                row.getString("submission_key"),
                row.getString("request_sha256"),
                OutboxState.valueOf(row.getString("state")),
                row.getInt("send_count"),
                row.getLong("lease_epoch"),
                instant(row, "due_at"),
                instantOf(row, "send_deadline_at"),
                code(row),
                row.getString("task_id"),
                text(row, "receipt_json"),
                instantOf(row, "created_at"),
                instantOf(row, "updated_at"),
                instant(row, "settled_at"));
    }

    static Instant instantOf(ResultSet row, String column) throws SQLException {
        return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }

    /** As text, because a driver can be told to cut the fraction of any other type it sends. */
    static String datetime(Instant instant) {
        return DATETIME.format(instant);
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        LocalDateTime value = row.getObject(column, LocalDateTime.class);
        return value == null ? null : value.toInstant(ZoneOffset.UTC);
    }

    private static @Nullable ResultCode code(ResultSet row) throws SQLException {
        String value = row.getString("result_code");
        return value == null ? null : ResultCode.valueOf(value);
    }

    private static @Nullable String text(ResultSet row, String column) throws SQLException {
        byte[] value = row.getBytes(column);
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }
}
