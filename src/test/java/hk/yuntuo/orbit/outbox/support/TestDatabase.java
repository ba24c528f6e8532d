package hk.yuntuo.orbit.outbox.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.OutboxSchema;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import io.agroal.api.AgroalDataSource;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceUnitTransactionType;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.hibernate.engine.transaction.jta.platform.internal.NarayanaJtaPlatform;
import org.hibernate.jpa.HibernatePersistenceConfiguration;

/** A schema of its own with {@code sender_outbox} and {@code business_job}, and the units and pools opened on it. */
public final class TestDatabase implements AutoCloseable {
    private final TestSchema schema;
    private final Deque<Runnable> opened = new ArrayDeque<>();

    private TestDatabase(TestSchema schema) {
        this.schema = schema;
    }

    public static TestDatabase create(String prefix) throws SQLException {
        return create(MySqlServer.find().createSchema(prefix));
    }

    /** In an empty schema, which is closed with it. */
    public static TestDatabase create(TestSchema schema) throws SQLException {
        TestDatabase database = new TestDatabase(schema);
        try (Connection connection = database.connect()) {
            OutboxSchema.create(connection);
            execute(
                    connection,
                    "CREATE TABLE business_job (operation_id VARCHAR(32) PRIMARY KEY, note VARCHAR(100) UNIQUE,"
                            + " task_id VARCHAR(128)) COLLATE utf8mb4_0900_bin");
        }
        return database;
    }

    public Connection connect() throws SQLException {
        return schema.connect();
    }

    public String schemaName() {
        return schema.name();
    }

    public EntityManagerFactory unit() {
        return unit("", Map.of());
    }

    /** A unit on a pool of its own; the options are appended to the JDBC URL, as in {@code useAffectedRows=true}. */
    public EntityManagerFactory unit(String urlOptions, Map<String, Object> properties) {
        return unit(pool(urlOptions, 40), properties);
    }

    public EntityManagerFactory unit(DataSource pool, Map<String, Object> properties) {
        return unit(pool, List.of(BusinessJob.class, MarkingJob.class), properties);
    }

    public EntityManagerFactory unit(DataSource pool, List<Class<?>> entities, Map<String, Object> properties) {
        HibernatePersistenceConfiguration configuration = new HibernatePersistenceConfiguration("test");
        entities.forEach(configuration::managedClass);
        configuration.property("jakarta.persistence.nonJtaDataSource", pool);
        configuration.property("hibernate.connection.provider_disables_autocommit", "true");
        properties.forEach(configuration::property);
        EntityManagerFactory factory = configuration.createEntityManagerFactory();
        opened.push(factory::close);
        return factory;
    }

    /** A unit of transaction type JTA under {@link Narayana}. */
    public EntityManagerFactory jtaUnit(DataSource pool, List<Class<?>> entities, Map<String, Object> properties) {
        HibernatePersistenceConfiguration configuration = new HibernatePersistenceConfiguration("jta-test");
        entities.forEach(configuration::managedClass);
        configuration.transactionType(PersistenceUnitTransactionType.JTA);
        configuration.property("jakarta.persistence.jtaDataSource", pool);
        configuration.property("hibernate.transaction.jta.platform", NarayanaJtaPlatform.class.getName());
        properties.forEach(configuration::property);
        EntityManagerFactory factory = configuration.createEntityManagerFactory();
        opened.push(factory::close);
        return factory;
    }

    /** A pool by way of a local proxy, whose connections take part in the transactions of {@link Narayana}. */
    public AgroalDataSource jtaPoolThrough(int port, Enlistment enlistment) {
        AgroalDataSource pool = Narayana.pool(enlistment, urlThrough(port), schema.user(), schema.password());
        opened.push(pool::close);
        return pool;
    }

    public HikariDataSource pool(String urlOptions, int size) {
        return pool(urlOptions, size, false);
    }

    public HikariDataSource pool(String urlOptions, int size, boolean autoCommit) {
        return pool(withOptions(schema.jdbcUrl(), urlOptions), autoCommit, size);
    }

    private static String withOptions(String url, String options) {
        return options.isEmpty() ? url : url + (url.contains("?") ? "&" : "?") + options;
    }

    /** A pool whose connections go through a local proxy. */
    public HikariDataSource poolThrough(int port) {
        return poolThrough(port, "");
    }

    /** The same; the options are appended to the JDBC URL. */
    public HikariDataSource poolThrough(int port, String urlOptions) {
        return poolThrough(port, urlOptions, 5);
    }

    public HikariDataSource poolThrough(int port, String urlOptions, int size) {
        return pool(withOptions(urlThrough(port), urlOptions), false, size);
    }

    /** A proxy before this database's server; the caller closes it. */
    public MySqlProxy newProxy() {
        URI server = URI.create(schema.jdbcUrl().substring("jdbc:".length()));
        return new MySqlProxy(server.getHost(), server.getPort());
    }

    public String jdbcUrl() {
        return schema.jdbcUrl();
    }

    public String user() {
        return schema.user();
    }

    public String password() {
        return schema.password();
    }

    /** The schema's URL by way of a local proxy. */
    public String urlThrough(int port) {
        return schema.jdbcUrl().replaceFirst("//[^/]+/", "//127.0.0.1:" + port + "/");
    }

    /** A pool that logs in as another user. */
    public HikariDataSource poolOf(String user, String password, int size) {
        HikariConfig config = config(schema.jdbcUrl(), false, size);
        config.setUsername(user);
        config.setPassword(password);
        return open(config);
    }

    /** A pool that waits for a connection no longer than Hikari's least, 250 ms. */
    public HikariDataSource impatientPool(int size) {
        HikariConfig config = config(schema.jdbcUrl(), false, size);
        config.setConnectionTimeout(250);
        return open(config);
    }

    private HikariDataSource pool(String url, boolean autoCommit, int size) {
        return open(config(url, autoCommit, size));
    }

    private HikariConfig config(String url, boolean autoCommit, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(schema.user());
        config.setPassword(schema.password());
        config.setAutoCommit(autoCommit);
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(size);
        return config;
    }

    private HikariDataSource open(HikariConfig config) {
        HikariDataSource pool = new HikariDataSource(config);
        opened.push(pool::close);
        return pool;
    }

    public int update(String sql) throws SQLException {
        try (Connection connection = connect()) {
            return execute(connection, sql);
        }
    }

    /** All rows, each column as text, joined by {@code |}. */
    public List<String> rows(String sql) throws SQLException {
        try (Connection connection = connect()) {
            return rows(connection, sql);
        }
    }

    public String value(String sql) throws SQLException {
        List<String> rows = rows(sql);
        if (rows.size() != 1) {
            throw new AssertionError(rows.size() + " rows instead of 1: " + sql);
        }
        return rows.get(0);
    }

    public static List<String> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (row.next()) {
                List<String> columns = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    columns.add(String.valueOf(row.getString(i)));
                }
                rows.add(String.join("|", columns));
            }
            return rows;
        }
    }

    public static int execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return statement.getUpdateCount();
        }
    }

    /** Until a transaction waits for a row lock in this schema. */
    public void awaitLockWait() throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (rows("SELECT 1 FROM performance_schema.data_locks WHERE lock_status = 'WAITING'"
                        + " AND object_schema = '" + schemaName() + "'")
                .isEmpty()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("nobody waits for a row lock");
            }
        }
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
        schema.close();
    }
}
