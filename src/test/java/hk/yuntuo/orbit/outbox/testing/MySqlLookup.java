package hk.yuntuo.orbit.outbox.testing;

import hk.yuntuo.orbit.outbox.testing.MySqlServer.Origin;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ways to a server, in their order. */
final class MySqlLookup {

    private static final Logger LOG = LoggerFactory.getLogger(MySqlServer.class);

    private final List<String> reasons = new ArrayList<>();
    private final List<Throwable> causes = new ArrayList<>();

    private MySqlLookup() {}

    static MySqlServer locate() {
        requireDriver();
        MySqlServer server = new MySqlLookup().first();
        LOG.info("mysql.found origin={} address={}:{}", server.origin(), server.host(), server.port());
        return server;
    }

    private MySqlServer first() {
        return configured()
                .or(() -> attempt(Origin.DOCKER, MySqlLookup::inDocker))
                .or(() -> attempt(Origin.MYSQLD_ON_PATH, MySqlLookup::onPath))
                .or(() -> attempt(Origin.FETCHED, MySqlLookup::fetched))
                .orElseThrow(this::refusal);
    }

    private IllegalStateException refusal() {
        IllegalStateException refusal = new IllegalStateException("no MySQL server for the tests:\n- "
                + Origin.CONFIGURED + ": " + TestSettings.OUTBOX_TEST_JDBC_URL + " is not set\n- "
                + String.join("\n- ", reasons)
                + "\nOne of these is enough: start Docker, put a mysqld (8.4 or later) on the PATH, or set "
                + TestSettings.OUTBOX_TEST_JDBC_URL + " to a server whose user may create schemas.");
        causes.forEach(refusal::addSuppressed);
        return refusal;
    }

    /** A server that the user names is used or it is an error: another one in its place would surprise. */
    private static Optional<MySqlServer> configured() {
        return TestSettings.OUTBOX_TEST_JDBC_URL.value().map(url -> {
            try {
                MySqlAccess access = new MySqlAccess(
                        JdbcAddress.parse(url),
                        TestSettings.OUTBOX_TEST_JDBC_USER.value().orElse("root"),
                        TestSettings.OUTBOX_TEST_JDBC_PASSWORD.value().orElse(""));
                access.probe();
                return new MySqlServer(access, Origin.CONFIGURED);
            } catch (SQLException | IllegalArgumentException e) {
                throw new IllegalStateException(TestSettings.OUTBOX_TEST_JDBC_URL + ": " + e.getMessage(), e);
            }
        });
    }

    /** A way that is closed is passed by in silence, one that is open and fails with a warning. */
    private Optional<MySqlServer> attempt(Origin origin, Supplier<MySqlAccess> way) {
        try {
            return Optional.of(new MySqlServer(way.get(), origin));
        } catch (NoServerException e) {
            LOG.debug("mysql.absent origin={} reason={}", origin, e.getMessage());
            reasons.add(origin + ": " + e.getMessage());
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("mysql.failed origin={} reason={}", origin, e.toString());
            reasons.add(origin + ": " + e.getMessage());
            causes.add(e);
        }
        return Optional.empty();
    }

    private static MySqlAccess inDocker() {
        if (!DockerEngine.answers()) {
            throw new NoServerException("no Docker engine answers at DOCKER_HOST or /var/run/docker.sock");
        }
        try {
            return DockerMySql.start();
        } catch (NoClassDefFoundError e) {
            throw new NoServerException("Docker answers, but testcontainers-mysql is not on the class path: " + e);
        }
    }

    private static MySqlAccess onPath() {
        Mysqld mysqld = Mysqld.onPath()
                .orElseThrow(() -> new NoServerException("no mysqld on the PATH, in /usr/sbin or /usr/local/sbin"));
        return LocalServer.start(mysqld, TestCache.open());
    }

    private static MySqlAccess fetched() {
        TestCache cache = TestCache.open();
        if (!cache.hasMysqld()) {
            LOG.info("mysql.fetching package=mysql-server-core size=50MB cache={}", cache.root());
        }
        return LocalServer.start(Mysqld.at(cache.fetchMysqld()), cache);
    }

    private static void requireDriver() {
        try {
            DriverManager.getDriver("jdbc:mysql://localhost/");
        } catch (SQLException e) {
            throw new IllegalStateException("mysql-connector-j is not on the class path", e);
        }
    }
}
