package hk.yuntuo.orbit.outbox.randomrun;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every change of {@code sender_outbox} that was ever committed, written down by triggers of the test's schema in the very transaction
 * that made it: a change that was rolled back is not in it.
 */
final class RowHistory {
    /** One change of a row. */
    record Change(
            String operationId,
            OutboxState before,
            OutboxState after,
            long epochBefore,
            long epochAfter,
            int countBefore,
            int countAfter,
            boolean dueBefore,
            boolean sameDocument,
            @Nullable String code) {

        boolean isClaim() {
            return after == OutboxState.SENDING;
        }

        /** What the state machine and the fences allow; docs/states.md draws it. */
        boolean isLegal() {
            if (!sameDocument || !dueBefore && before == OutboxState.PENDING) {
                return false;
            }
            return switch (before) {
                case PENDING -> isNextClaim();
                case SENDING -> after == OutboxState.SENDING ? dueBefore && isNextClaim() : isSettlement();
                case ACCEPTED, REVIEW -> false;
            };
        }

        /** Which codes a review may have is the verdict's to say. */
        private boolean isSettlement() {
            boolean sameCounters = epochAfter == epochBefore && countAfter == countBefore;
            boolean accepts = "ACCEPTED".equals(code);
            boolean retries = "UNCONFIRMED".equals(code) || "BACKPRESSURE".equals(code);
            return sameCounters
                    && accepts == (after == OutboxState.ACCEPTED)
                    && retries == (after == OutboxState.PENDING);
        }

        private boolean isNextClaim() {
            return isClaim() && epochAfter == epochBefore + 1 && countAfter == countBefore + 1;
        }
    }

    private final TestDatabase database;

    RowHistory(TestDatabase database) {
        this.database = database;
    }

    void begin() throws SQLException {
        database.update("""
                CREATE TABLE outbox_change (
                    number BIGINT AUTO_INCREMENT PRIMARY KEY, operation_id CHAR(32), state_before VARCHAR(16), state_after VARCHAR(16),
                    epoch_before BIGINT, epoch_after BIGINT, count_before INT, count_after INT, due_before BOOLEAN, same_document BOOLEAN, code VARCHAR(40))
                """);
        database.update("""
                CREATE TRIGGER outbox_changed AFTER UPDATE ON sender_outbox FOR EACH ROW
                INSERT INTO outbox_change VALUES (NULL, OLD.operation_id, OLD.state, NEW.state, OLD.lease_epoch, NEW.lease_epoch,
                    OLD.send_count, NEW.send_count, OLD.due_at <= UTC_TIMESTAMP(6),
                    OLD.request_json = NEW.request_json AND OLD.submission_key = NEW.submission_key
                        AND OLD.queue_id = NEW.queue_id AND OLD.send_deadline_at = NEW.send_deadline_at,
                    NEW.result_code)
                """);
        database.update("""
                CREATE TRIGGER outbox_deleted AFTER DELETE ON sender_outbox FOR EACH ROW
                INSERT INTO outbox_change (operation_id, state_before) VALUES (OLD.operation_id, OLD.state)
                """);
    }

    int deletions() throws SQLException {
        return Integer.parseInt(database.value("SELECT COUNT(*) FROM outbox_change WHERE state_after IS NULL"));
    }

    /** In the order they were made, by row: a row's lock keeps its changes apart. */
    Map<String, List<Change>> changes() throws SQLException {
        Map<String, List<Change>> changes = new HashMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT * FROM outbox_change WHERE state_after IS NOT NULL ORDER BY number")) {
            while (row.next()) {
                Change change = change(row);
                changes.computeIfAbsent(change.operationId(), id -> new ArrayList<>())
                        .add(change);
            }
        }
        return changes;
    }

    private static Change change(ResultSet row) throws SQLException {
        return new Change(
                row.getString("operation_id"),
                OutboxState.valueOf(row.getString("state_before")),
                OutboxState.valueOf(row.getString("state_after")),
                row.getLong("epoch_before"),
                row.getLong("epoch_after"),
                row.getInt("count_before"),
                row.getInt("count_after"),
                row.getBoolean("due_before"),
                row.getBoolean("same_document"),
                row.getString("code"));
    }
}
