package hk.yuntuo.orbit.examples.taskoutbox.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.examples.taskoutbox.JobService;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import java.util.Map;
import java.util.Properties;

/** The persistence unit over a pool of its own. */
final class Database implements AutoCloseable {
    /** A claim and the settlements of {@link SendCommand}'s deliveries at once. */
    static final int CONNECTIONS = 5;

    private final HikariDataSource pool;
    private final EntityManagerFactory factory;

    private Database(HikariDataSource pool, EntityManagerFactory factory) {
        this.pool = pool;
        this.factory = factory;
    }

    /** Connects; fails within seconds if the database cannot be reached. */
    static Database open(DatabaseAddress address) {
        HikariDataSource pool = new HikariDataSource(config(address));
        try {
            return new Database(
                    pool,
                    Persistence.createEntityManagerFactory(
                            "task-outbox", Map.of("jakarta.persistence.nonJtaDataSource", pool)));
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    JobService jobs(OrbitTarget target) {
        return new JobService(factory, target.namespaceId(), target.queueId());
    }

    EntityManagerFactory factory() {
        return factory;
    }

    private static HikariConfig config(DatabaseAddress address) {
        Properties driver = address.properties();
        // A database that went silent ends a statement, and so the command, instead of holding it for ever.
        driver.setProperty("socketTimeout", "10000");
        HikariConfig config = new HikariConfig();
        config.setPoolName("sender");
        config.setJdbcUrl(address.url());
        config.setDataSourceProperties(driver);
        config.setAutoCommit(false);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(5_000);
        // MySQL's default is 50 s; a business transaction is to end within 5 s, and can be run again.
        config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 5");
        return config;
    }

    @Override
    public void close() {
        factory.close();
        pool.close();
    }
}
