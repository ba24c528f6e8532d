package hk.yuntuo.orbit.outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/**
 * A schema of its own on a real MySQL server: empty when created, dropped by {@link #close()}.
 *
 * <p>Character set utf8mb4, collation utf8mb4_0900_bin. Thread-safe. Made by {@link MySqlServer#createSchema(String)}.
 */
public final class TestSchema implements AutoCloseable {

    private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9_]{0,39}");
    private static final int RANDOM_BYTES = 6;

    /** Bounds the wait of DROP DATABASE for a transaction that a test left open; MySQL's own bound is a year. */
    private static final String BOUND_DROP = "SET SESSION lock_wait_timeout = 30";

    private final MySqlAccess access;
    private final String name;

    private TestSchema(MySqlAccess access, String name) {
        this.access = access;
        this.name = name;
    }

    static TestSchema create(MySqlAccess access, String prefix) {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException("a schema prefix matches " + PREFIX + ", not: " + prefix);
        }
        TestSchema schema = new TestSchema(access, prefix + "_" + RandomHex.bytes(RANDOM_BYTES));
        // The name is checked above: an identifier cannot be a parameter of a statement.
        schema.run("CREATE DATABASE `" + schema.name + "` CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin");
        return schema;
    }

    /**
     * Returns the schema's name.
     *
     * @return the prefix, an underscore and 12 random hexadecimal digits
     */
    public String name() {
        return name;
    }

    /**
     * Returns the URL of this schema, for {@link #user()} and {@link #password()}.
     *
     * @return a {@code jdbc:mysql:} URL
     */
    public String jdbcUrl() {
        return access.address().url(name);
    }

    /**
     * Returns the user who owns the schema.
     *
     * @return the server's administrator
     */
    public String user() {
        return access.user();
    }

    /**
     * Returns the password of {@link #user()}.
     *
     * @return the password; may be empty
     */
    public String password() {
        return access.password();
    }

    /**
     * Opens a new connection to the schema, in auto-commit mode; the caller closes it.
     *
     * @return the connection
     * @throws SQLException if the server refuses it
     */
    public Connection connect() throws SQLException {
        return access.connect(name);
    }

    /**
     * Drops the schema with all that is in it; a second call does nothing.
     *
     * @throws IllegalStateException if the server refuses, also when a transaction left open in the schema keeps it
     *     locked for 30 seconds
     */
    @Override
    public void close() {
        run(BOUND_DROP, "DROP DATABASE IF EXISTS `" + name + "`");
    }

    private void run(String... statements) {
        try (Connection connection = access.connect("");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("schema " + name + " at " + access + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return name + " at " + access;
    }
}
