package hk.yuntuo.orbit.outbox.support.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.model.ShutdownTimeoutException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import jakarta.persistence.EntityManagerFactory;
import java.util.concurrent.CompletableFuture;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.slf4j.LoggerFactory;

/**
 * A process of its own that plays one {@link ProcessRole}, as its {@link ProcessSetting}s say. It prints {@link #READY} when it begins
 * and one line when it ends. It ends by itself; by SIGTERM, which asks the role to stop as a service's shutdown hook would; or when its
 * standard input ends, so that it does not outlive the test that started it.
 */
public final class SenderMain {
    public static final String READY = "READY";
    /** It has heard SIGTERM and asked the role to stop. */
    public static final String STOPPING = "STOPPING";

    public static final String STOPPED = "STOPPED";
    /** A receipt has come and waits, see {@link ProcessSetting#PAUSE}. */
    public static final String PAUSED = "PAUSED";

    public static final int EXIT_STOPPED = 0;
    public static final int EXIT_SHUTDOWN_TIMEOUT = 3;
    public static final int EXIT_FAILED = 4;
    private static final int EXIT_ORPHANED = 5;

    private SenderMain() {}

    public static void main(String[] args) {
        StandardInput.obey(EXIT_ORPHANED);
        ((Logger) LoggerFactory.getLogger("hk.yuntuo.orbit.outbox")).setLevel(Level.INFO);
        ProcessRole role = ProcessRole.chosen(unit());
        CompletableFuture<Integer> exitCode = new CompletableFuture<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            role.stop();
            System.out.println(STOPPING);
            Runtime.getRuntime().halt(exitCode.join());
        }));
        System.out.println(READY);
        int code = run(role);
        exitCode.complete(code);
        System.exit(code);
    }

    private static int run(ProcessRole role) {
        try {
            role.run();
            System.out.println(STOPPED);
            return EXIT_STOPPED;
        } catch (RuntimeException | Error e) {
            System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            return e instanceof ShutdownTimeoutException ? EXIT_SHUTDOWN_TIMEOUT : EXIT_FAILED;
        }
    }

    private static EntityManagerFactory unit() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(ProcessSetting.JDBC_URL.required());
        config.setUsername(ProcessSetting.JDBC_USER.required());
        config.setPassword(ProcessSetting.JDBC_PASSWORD.required());
        config.setAutoCommit(false);
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(ProcessSetting.POOL.number(10));
        return new HibernatePersistenceConfiguration("process")
                .managedClass(BusinessJob.class)
                .property("jakarta.persistence.nonJtaDataSource", new HikariDataSource(config))
                .property("hibernate.connection.provider_disables_autocommit", "true")
                .createEntityManagerFactory();
    }
}
