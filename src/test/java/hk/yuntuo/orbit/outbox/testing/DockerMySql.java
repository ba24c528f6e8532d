package hk.yuntuo.orbit.outbox.testing;

import org.testcontainers.mysql.MySQLContainer;

/** The only class that needs Testcontainers; loaded only when a Docker engine answers. */
final class DockerMySql {

    private static final String IMAGE = "mysql:8.4";

    private DockerMySql() {}

    /** Starts a container that Testcontainers removes when this JVM has ended. */
    static MySqlAccess start() {
        String password = RandomHex.bytes(16);
        MySQLContainer container = new MySQLContainer(IMAGE)
                .withUsername("root")
                .withPassword(password)
                // Without this Testcontainers sets a 16 MB buffer pool and 1 MB packets; null leaves the server's
                // defaults.
                .withConfigurationOverride(null);
        container.start();
        int port = container.getMappedPort(MySQLContainer.MYSQL_PORT);
        return new MySqlAccess(JdbcAddress.plain(container.getHost(), port), "root", password);
    }
}
