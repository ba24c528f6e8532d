package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hk.yuntuo.orbit.outbox.testing.MySqlServer.Origin;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.MINUTES) // the first use on a machine fetches the server
class MySqlServerIT {

    private static final String PORT_LINE = "port=";
    private static final long END_SECONDS = 30;

    @Test
    void findAnswersMySql84OrLater() throws SQLException {
        try (TestSchema schema = MySqlServer.find().createSchema("finder");
                Connection connection = schema.connect()) {
            int major = connection.getMetaData().getDatabaseMajorVersion();
            int minor = connection.getMetaData().getDatabaseMinorVersion();

            assertEquals("MySQL", connection.getMetaData().getDatabaseProductName());
            assertTrue(major > 8 || major == 8 && minor >= 4, major + "." + minor);
        }
    }

    @Test
    void theServerRunsWithItsDefaults() throws SQLException {
        assumeTrue(MySqlServer.find().origin() != Origin.CONFIGURED, "a server of the user's has the user's settings");
        try (TestSchema schema = MySqlServer.find().createSchema("finder")) {
            assertEquals(
                    "1 1 1 67108864 ROW FULL",
                    ask(
                            schema,
                            "SELECT CONCAT_WS(' ', @@performance_schema, @@innodb_flush_log_at_trx_commit, @@log_bin,"
                                    + " @@max_allowed_packet, @@binlog_format, @@binlog_row_image)"));
            assertTrue(ask(schema, "SELECT @@sql_mode").contains("STRICT_TRANS_TABLES"));
        }
    }

    @Test
    void allCallersShareOneServer() {
        List<CompletableFuture<MySqlServer>> callers = Stream.generate(
                        () -> CompletableFuture.supplyAsync(MySqlServer::find))
                .limit(8)
                .toList();

        assertTrue(callers.stream().map(CompletableFuture::join).allMatch(server -> server == MySqlServer.find()));
        assertSame(MySqlServer.find(), MySqlServer.find());
    }

    @Test
    void schemasOfOnePrefixAreSeparate() throws SQLException {
        try (TestSchema one = MySqlServer.find().createSchema("finder");
                TestSchema other = MySqlServer.find().createSchema("finder")) {
            change(one, "CREATE TABLE only_here (id INT PRIMARY KEY)");

            assertNotEquals(one.name(), other.name());
            assertEquals("1", countOf(one, "tables", "table_schema", one.name()));
            assertEquals("0", countOf(one, "tables", "table_schema", other.name()));
            assertEquals("utf8mb4_0900_bin", ask(other, "SELECT @@collation_database"));
        }
    }

    @Test
    void closeDropsTheSchema() throws SQLException {
        try (TestSchema witness = MySqlServer.find().createSchema("finder")) {
            TestSchema schema = MySqlServer.find().createSchema("finder");
            change(schema, "CREATE TABLE filled (id INT PRIMARY KEY)");
            schema.close();

            assertEquals("0", countOf(witness, "schemata", "schema_name", schema.name()));
            schema.close();
        }
    }

    @Test
    void aPrefixThatIsNoPlainNameIsRefused() {
        MySqlServer server = MySqlServer.find();

        for (String prefix : List.of("", "a`b", "A", "1a", "a".repeat(41))) {
            assertThrows(IllegalArgumentException.class, () -> server.createSchema(prefix), prefix);
        }
    }

    @Test
    void theServerOfAKilledJvmEnds() throws IOException, InterruptedException {
        assumeTrue(
                Set.of(Origin.MYSQLD_ON_PATH, Origin.FETCHED)
                        .contains(MySqlServer.find().origin()),
                "only a server process of the JVM's own is to end with it");
        Process jvm = startJvm();
        try (BufferedReader output = jvm.inputReader()) {
            int port = output.lines()
                    .filter(line -> line.startsWith(PORT_LINE))
                    .mapToInt(line -> Integer.parseInt(line.substring(PORT_LINE.length())))
                    .findFirst()
                    .orElseThrow();
            assertTrue(listens(port));

            jvm.destroyForcibly().waitFor();

            long killed = System.nanoTime();
            while (listens(port) && System.nanoTime() - killed < TimeUnit.SECONDS.toNanos(END_SECONDS)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertFalse(listens(port));
        } finally {
            jvm.destroyForcibly();
        }
    }

    private static Process startJvm() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (TestSettings setting : TestSettings.values()) {
            setting.value().ifPresent(value -> command.add("-D" + setting + "=" + value));
        }
        command.addAll(List.of("-cp", classPath(), Starter.class.getName()));
        return new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    }

    /** A test runner may have put these classes elsewhere than on the class path. */
    private static String classPath() {
        return Stream.of(
                        System.getProperty("surefire.test.class.path"),
                        System.getProperty("java.class.path"),
                        System.getProperty("jdk.module.path"),
                        folderOf(MySqlServerIT.class, "MySqlServerIT.class"),
                        folderOf(MySqlServerIT.class, "mysqld-run.sh"))
                .filter(Objects::nonNull)
                .reduce((left, right) -> left + File.pathSeparator + right)
                .orElseThrow();
    }

    private static String folderOf(Class<?> type, String resource) {
        try {
            Path folder =
                    Path.of(Objects.requireNonNull(type.getResource(resource)).toURI());
            for (String ignored : (type.getPackageName() + ".x").split("\\.")) {
                folder = Objects.requireNonNull(folder.getParent(), ignored);
            }
            return folder.toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    private static String countOf(TestSchema schema, String view, String column, String value) throws SQLException {
        return ask(
                schema, "SELECT COUNT(*) FROM information_schema." + view + " WHERE " + column + " = '" + value + "'");
    }

    private static String ask(TestSchema schema, String query) throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void change(TestSchema schema, String sql) throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** What a JVM that is to be killed runs: it has a server and waits. */
    static final class Starter {

        private Starter() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println(PORT_LINE + MySqlServer.find().port());
            while (System.in.read() >= 0) {
                // until the other end closes
            }
        }
    }
}
