package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.internal.freeze.FrozenRequest;
import hk.yuntuo.orbit.outbox.internal.rules.Settlement;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Binds and runs the statements for one namespace and queue, on the connection it is given. It decides nothing. Thread-safe. */
public final class OutboxStore {
    private final String namespaceId;
    private final String queueId;

    public OutboxStore(String namespaceId, String queueId) {
        this.namespaceId = namespaceId;
        this.queueId = queueId;
    }

    /**
     * Whether the server has a transaction open. The connection of an XA branch may report autocommit, and so does one that takes part in no JTA
     * transaction at all.
     */
    boolean isInTransaction(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(Sql.SET_SAVEPOINT);
            statement.execute(Sql.RELEASE_SAVEPOINT);
            return true;
        } catch (SQLException e) {
            if (SqlErrors.isSavepointMissing(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Returns false if the operation is there already; the failed INSERT has left a shared lock on its row. */
    public boolean insert(Connection connection, String operationId, FrozenRequest request) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(Sql.INSERT)) {
            insert.setString(1, namespaceId);
            insert.setString(2, operationId);
            insert.setString(3, queueId);
            insert.setString(4, "outbox-task-" + operationId);
            bindBytes(insert, 5, request.bytes());
            insert.setString(6, request.sha256());
            requireOne(insert.executeUpdate(), "INSERT", operationId);
            return true;
        } catch (SQLException e) {
            if (SqlErrors.isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }

    /** What the stored command differs in; empty if it has this queue and these bytes. */
    public Optional<String> difference(Connection connection, String operationId, FrozenRequest request)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(Sql.FIND_DUPLICATE)) {
            select.setString(1, namespaceId);
            select.setString(2, operationId);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new OutboxStorageException(
                            "Operation " + operationId + " was refused as a duplicate but cannot be read;"
                                    + " the row was deleted by somebody else. Run the transaction again.",
                            operationId,
                            null);
                }
                if (!row.getString("queue_id").equals(queueId)) {
                    return Optional.of("for another queue");
                }
                boolean same = row.getString("request_sha256").equals(request.sha256());
                return same ? Optional.empty() : Optional.of("with other content");
            }
        }
    }

    /** Only for a row that the open transaction has inserted itself. */
    public void withdraw(Connection connection, String operationId) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(Sql.WITHDRAW)) {
            delete.setString(1, namespaceId);
            delete.setString(2, operationId);
            requireOne(delete.executeUpdate(), "withdrawal", operationId);
        }
    }

    public Optional<OutboxRecord> status(Connection connection, String operationId) throws SQLException {
        return find(connection, Sql.STATUS, operationId);
    }

    /** Like {@link #status}, but waits for a transaction that holds the row uncommitted. */
    public Optional<OutboxRecord> resolve(Connection connection, String operationId) throws SQLException {
        return find(connection, Sql.RESOLVE, operationId);
    }

    public List<DueRow> lockDue(Connection connection, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(Sql.CLAIM)) {
            select.setString(1, namespaceId);
            select.setString(2, queueId);
            select.setInt(3, limit);
            try (ResultSet row = select.executeQuery()) {
                List<DueRow> rows = new ArrayList<>();
                while (row.next()) {
                    rows.add(
                            new DueRow(Rows.record(row), row.getBytes("request_json"), Rows.instantOf(row, "now_utc")));
                }
                return rows;
            }
        }
    }

    public void lease(Connection connection, List<DueRow> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement(Sql.LEASE)) {
            for (DueRow row : rows) {
                String now = Rows.datetime(row.now());
                update.setString(1, now);
                update.setString(2, now);
                bindClaimed(update, 3, row);
                update.addBatch();
            }
            int[] counts = update.executeBatch();
            for (int i = 0; i < counts.length; i++) {
                requireOne(counts[i], "lease", rows.get(i).record().operationId());
            }
        }
    }

    /** Ends the sending of a due row whose budget is spent. */
    public void reviewUnsent(Connection connection, DueRow row, ResultCode code) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(Sql.REVIEW_UNSENT)) {
            String now = Rows.datetime(row.now());
            update.setString(1, code.name());
            update.setString(2, now);
            update.setString(3, now);
            bindClaimed(update, 4, row);
            requireOne(update.executeUpdate(), "review", row.record().operationId());
        }
    }

    /** Returns false, having changed nothing, if the row is no longer SENDING under this epoch. */
    public boolean settle(Connection connection, OutboxRecord claimed, Settlement settlement) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(Sql.SETTLE)) {
            String state = settlement.state().name();
            update.setString(1, state);
            update.setLong(2, settlement.delay().toNanos() / 1_000);
            update.setString(3, state);
            update.setString(4, state);
            update.setString(5, settlement.code().name());
            update.setString(6, settlement.taskId());
            bindBytes(update, 7, bytes(settlement.receiptJson()));
            update.setString(8, claimed.namespaceId());
            update.setString(9, claimed.operationId());
            update.setLong(10, claimed.leaseEpoch());
            int count = update.executeUpdate();
            if (count != 0) {
                requireOne(count, "settle", claimed.operationId());
            }
            return count == 1;
        }
    }

    private Optional<OutboxRecord> find(Connection connection, String sql, String operationId) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, namespaceId);
            select.setString(2, operationId);
            select.setString(3, queueId);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(Rows.record(row)) : Optional.empty();
            }
        }
    }

    /** setBytes would do, but for server-side statements Connector/J sends it as text in the connection's character set. */
    private static void bindBytes(PreparedStatement statement, int index, byte @Nullable [] bytes) throws SQLException {
        statement.setObject(index, bytes, Types.LONGVARBINARY);
    }

    private static void bindClaimed(PreparedStatement update, int index, DueRow row) throws SQLException {
        update.setString(index, row.record().namespaceId());
        update.setString(index + 1, row.record().operationId());
        update.setLong(index + 2, row.record().leaseEpoch());
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static void requireOne(int count, String statement, String operationId) {
        if (count != 1) {
            throw new OutboxStorageException(
                    "The " + statement + " of operation " + operationId + " changed " + count + " rows instead of 1;"
                            + " it was rolled back. Something else writes to sender_outbox.",
                    operationId,
                    null);
        }
    }
}
