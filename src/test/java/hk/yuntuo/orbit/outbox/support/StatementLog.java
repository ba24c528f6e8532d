package hk.yuntuo.orbit.outbox.support;

import jakarta.persistence.EntityManager;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.Session;

/** The statements that really reached the server on one connection, from the server's general log. */
public final class StatementLog implements AutoCloseable {
    private final Connection connection;

    private StatementLog(Connection connection) {
        this.connection = connection;
    }

    public static StatementLog open(TestDatabase database) throws SQLException {
        Connection connection = database.connect();
        TestDatabase.execute(connection, "SET GLOBAL log_output = 'TABLE'");
        TestDatabase.execute(connection, "SET GLOBAL general_log = ON");
        return new StatementLog(connection);
    }

    public static long connectionId(EntityManager em) {
        return em.unwrap(Session.class)
                .doReturningWork(c -> Long.parseLong(
                        TestDatabase.rows(c, "SELECT CONNECTION_ID()").get(0)));
    }

    /** In the order they were received, blanks folded. */
    public List<String> of(long connectionId) throws SQLException {
        String sql =
                "SELECT argument FROM mysql.general_log WHERE thread_id = ? AND command_type IN ('Query', 'Execute')"
                        + " ORDER BY event_time";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, connectionId);
            try (ResultSet row = select.executeQuery()) {
                List<String> statements = new ArrayList<>();
                while (row.next()) {
                    String text = new String(row.getBytes(1), StandardCharsets.UTF_8);
                    statements.add(text.replaceAll("\\s+", " ").trim());
                }
                return statements;
            }
        }
    }

    /** All connections' statements since the log was cleared, in the order they were received, blanks folded. */
    public List<String> all() throws SQLException {
        String sql =
                "SELECT argument FROM mysql.general_log WHERE command_type IN ('Query', 'Execute') ORDER BY event_time";
        try (PreparedStatement select = connection.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            List<String> statements = new ArrayList<>();
            while (row.next()) {
                String text = new String(row.getBytes(1), StandardCharsets.UTF_8);
                statements.add(text.replaceAll("\\s+", " ").trim());
            }
            return statements;
        }
    }

    public void clear() throws SQLException {
        TestDatabase.execute(connection, "TRUNCATE TABLE mysql.general_log");
    }

    /** How many statements of any connection contained the text. */
    public int countContaining(String text) throws SQLException {
        String sql =
                "SELECT COUNT(*) FROM mysql.general_log WHERE argument LIKE ? AND argument NOT LIKE '%general_log%'";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, "%" + text + "%");
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        TestDatabase.execute(connection, "SET GLOBAL general_log = OFF");
        TestDatabase.execute(connection, "TRUNCATE TABLE mysql.general_log");
        connection.close();
    }
}
