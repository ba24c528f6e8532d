package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A schema on a real MySQL, and the settings that lead to it. */
final class SenderSchema implements AutoCloseable {
    static final String NAMESPACE = "ns";
    static final String QUEUE = "q";

    private final TestSchema schema = MySqlServer.find().createSchema("task_outbox");

    static SenderSchema empty() {
        return new SenderSchema();
    }

    static SenderSchema initialised() throws Exception {
        SenderSchema schema = new SenderSchema();
        new SchemaInit(schema.address()).run();
        return schema;
    }

    DatabaseAddress address() {
        return new DatabaseAddress(schema.jdbcUrl(), schema.user(), schema.password());
    }

    String name() {
        return schema.name();
    }

    /** Without a token and without a platform. */
    Map<String, String> local() {
        return Map.of(
                DatabaseAddress.URL,
                schema.jdbcUrl(),
                DatabaseAddress.USER,
                schema.user(),
                DatabaseAddress.PASSWORD,
                schema.password(),
                "ORBIT_NAMESPACE_ID",
                NAMESPACE,
                "ORBIT_QUEUE_ID",
                QUEUE);
    }

    Map<String, String> with(URI platform, OrbitCredentials credentials) {
        Map<String, String> environment = new HashMap<>(local());
        environment.put("ORBIT_URL", platform.toString());
        environment.put("ORBIT_TOKEN", credentials.token());
        return environment;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The rows, their columns joined by a space. */
    List<String> query(String sql) throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                List<String> columns = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    columns.add(rows.getString(i));
                }
                found.add(String.join(" ", columns));
            }
            return found;
        }
    }

    /** Waits until a query answers with just this row. */
    void await(String row, String sql) throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        List<String> found = query(sql);
        while (!found.equals(List.of(row))) {
            if (System.nanoTime() > end) {
                throw new AssertionError(sql + ": not " + row + " but " + found);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(30));
            found = query(sql);
        }
    }

    @Override
    public void close() {
        schema.close();
    }
}
