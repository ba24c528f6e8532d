package hk.yuntuo.orbit.outbox.support.jta;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import com.mysql.cj.jdbc.MysqlXADataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.MySQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** A real transaction manager, and pools whose connections take part in its transactions. */
public final class Narayana {
    /** How a pool's connections take part: with a local transaction of their own, or as a branch that the server knows of. */
    public enum Enlistment {
        LOCAL,
        XA
    }

    private static final TransactionSynchronizationRegistry REGISTRY = new TransactionSynchronizationRegistryImple();

    static {
        String store = Path.of("target", "narayana").toString();
        for (String name : new String[] {"default", "communicationStore", "stateStore"}) {
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, name.equals("default") ? null : name)
                    .setObjectStoreDir(store);
        }
        try {
            arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier("outbox");
        } catch (CoreEnvironmentBeanException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Narayana() {}

    public static TransactionManager manager() {
        return com.arjuna.ats.jta.TransactionManager.transactionManager();
    }

    public static TransactionSynchronizationRegistry registry() {
        return REGISTRY;
    }

    /** Leaves the thread without a transaction, whatever a test left on it. */
    public static void clearThread() throws SystemException {
        if (manager().suspend() != null) {
            throw new AssertionError("a transaction was left on the thread");
        }
        manager().setTransactionTimeout(0);
    }

    /** Watches the transaction on the thread. Narayana tells of the end in reverse order. */
    public static CountDownLatch watchEnd() {
        CountDownLatch over = new CountDownLatch(1);
        unchecked(
                () -> manager().getTransaction().registerSynchronization(afterCompletion(status -> over.countDown())));
        return over;
    }

    public static void await(CountDownLatch latch) {
        unchecked(() -> {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody counted down");
            }
        });
    }

    /** Waits until the transaction on the thread is over, which another thread must bring about. */
    public static void awaitEnd() {
        await(watchEnd());
    }

    public static Synchronization beforeCompletion(Runnable work) {
        return synchronization(work, status -> {});
    }

    public static Synchronization afterCompletion(IntConsumer work) {
        return synchronization(() -> {}, work);
    }

    private static Synchronization synchronization(Runnable before, IntConsumer after) {
        return new Synchronization() {
            @Override
            public void beforeCompletion() {
                before.run();
            }

            @Override
            public void afterCompletion(int status) {
                after.accept(status);
            }
        };
    }

    /** A call of the transaction manager, whose errors are none that a test expects. */
    @FunctionalInterface
    public interface Step {
        void run() throws Exception;
    }

    public static void unchecked(Step step) {
        try {
            step.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    public static AgroalDataSource pool(Enlistment enlistment, String url, String user, String password) {
        Class<?> provider = enlistment == Enlistment.XA ? MysqlXADataSource.class : mysqlDriver();
        AgroalDataSourceConfigurationSupplier configuration = new AgroalDataSourceConfigurationSupplier()
                .metricsEnabled(true)
                .connectionPoolConfiguration(pool -> pool.maxSize(10)
                        .acquisitionTimeout(Duration.ofSeconds(30))
                        .exceptionSorter(new MySQLExceptionSorter())
                        .connectionValidator(ConnectionValidator.defaultValidator())
                        .validateOnBorrow(true)
                        .transactionIntegration(new NarayanaTransactionIntegration(manager(), REGISTRY))
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url)
                                .connectionProviderClass(provider)
                                .principal(new NamePrincipal(user))
                                .credential(new SimplePassword(password))));
        try {
            return AgroalDataSource.from(configuration);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Class<? extends Driver> mysqlDriver() {
        return com.mysql.cj.jdbc.Driver.class;
    }
}
