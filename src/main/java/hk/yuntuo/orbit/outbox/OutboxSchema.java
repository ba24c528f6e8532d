package hk.yuntuo.orbit.outbox;

import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/**
 * The one definition of the table {@code sender_outbox}, for MySQL 8.4 and later. Liquibase users include {@link #CHANGELOG}; others
 * put {@link #sql()} into their own migrations. Stateless and thread-safe.
 */
public final class OutboxSchema {
    /** The changelog (Liquibase formatted SQL) on the class path; include it with one line from your own changelog. */
    public static final String CHANGELOG = "orbit-outbox/sender-outbox.sql";

    private static final int TABLE_EXISTS = 1050;

    private OutboxSchema() {}

    /**
     * The text of the changelog: plain SQL in which Liquibase's directives are comments, so that any migration tool can run it.
     *
     * @return the SQL; statements end with a semicolon at the end of a line
     */
    public static String sql() {
        try (InputStream in = OutboxSchema.class.getClassLoader().getResourceAsStream(CHANGELOG)) {
            return new String(
                    Objects.requireNonNull(in, CHANGELOG + " is missing from the jar")
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(CHANGELOG + " cannot be read", e);
        }
    }

    /**
     * Creates the table once, in the connection's current schema; for first set-ups and tests. Production schemas belong to a
     * migration tool, and nothing in this library calls this. MySQL commits an open transaction before it creates a table.
     *
     * @param connection a connection whose user may create tables; it stays open
     * @throws OutboxStorageException if the table exists already, which is left as it is, or if MySQL refuses
     */
    public static void create(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            for (String sql : sql().split(";\\R")) {
                if (sql.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("--"))) {
                    statement.execute(sql);
                }
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == TABLE_EXISTS) {
                throw new OutboxStorageException(
                        "The table sender_outbox exists already; it was left as it is. Use your migration tool to change it.",
                        null,
                        e);
            }
            throw new OutboxStorageException(
                    "The table sender_outbox could not be created: " + e.getMessage(), null, e);
        }
    }
}
