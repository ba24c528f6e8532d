package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates the two tables once. MySQL commits each CREATE TABLE by itself, so a failure undoes what was created before it, and two runs
 * at once wait for each other under a lock of their own: the loser finds the tables there.
 */
final class SchemaInit {
    private static final String LOCK = """
        SELECT IF(DATABASE() IS NULL, NULL, GET_LOCK(CONCAT('sender-init-', LEFT(SHA2(DATABASE(), 256), 40)), 30))
        """;
    private static final String TABLES_THERE = """
        SELECT table_name FROM information_schema.tables
        WHERE table_schema = DATABASE() AND table_name IN ('sender_jobs', 'sender_outbox') ORDER BY table_name
        """;
    private static final String FOREIGN_KEYS = """
        SELECT COUNT(*) FROM information_schema.referential_constraints
        WHERE constraint_schema = DATABASE()
          AND (table_name IN ('sender_jobs', 'sender_outbox')
            OR referenced_table_name IN ('sender_jobs', 'sender_outbox'))
        """;

    private final DatabaseAddress address;

    SchemaInit(DatabaseAddress address) {
        this.address = address;
    }

    /** Returns the number of foreign keys of the tables created. */
    int run() throws Exception {
        try (Connection connection = address.connect()) {
            lock(connection);
            refuseExistingTables(connection);
            try (Changelog changelog = Changelog.on(address)) {
                changelog.apply();
            }
            return foreignKeys(connection);
        }
    }

    static int foreignKeys(Connection connection) throws SQLException {
        return Integer.parseInt(column(connection, FOREIGN_KEYS).get(0));
    }

    /** Held until the connection is closed. */
    private static void lock(Connection connection) throws SQLException {
        String answer = column(connection, LOCK).get(0);
        if (answer == null) {
            throw new CommandFailedException(
                    ExitStatus.INVALID_INPUT, DatabaseAddress.URL + " must name a schema.", null);
        }
        if (!answer.equals("1")) {
            throw new CommandFailedException(
                    ExitStatus.RETRY, "Another init works on this schema for more than 30 s.", null);
        }
    }

    private static void refuseExistingTables(Connection connection) throws SQLException {
        List<String> tables = column(connection, TABLES_THERE);
        if (!tables.isEmpty()) {
            throw new CommandFailedException(
                    ExitStatus.SCHEMA_EXISTS,
                    "This schema has " + String.join(" and ", tables) + " already; nothing was changed.",
                    null);
        }
    }

    private static List<String> column(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }
}
