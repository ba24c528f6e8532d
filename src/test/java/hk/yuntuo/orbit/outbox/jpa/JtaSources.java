package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import io.agroal.api.AgroalDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.SystemException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.engine.transaction.jta.platform.internal.NarayanaJtaPlatform;

/** Sources in units of transaction type JTA, whose connections go through a proxy. */
record JtaSources(ListenerDatabase database, MySqlProxy proxy, AgroalDataSource pool, EntityManagerFactory unit)
        implements AutoCloseable {
    static JtaSources open(String prefix) throws SQLException {
        ListenerDatabase database = ListenerDatabase.create(prefix);
        MySqlProxy proxy = database.database().newProxy();
        AgroalDataSource pool = database.database().jtaPoolThrough(proxy.port(), Enlistment.LOCAL);
        return new JtaSources(database, proxy, pool, database.jtaUnit(pool, Map.of()));
    }

    AgroalDataSource poolOf(Enlistment enlistment) {
        return database.database().jtaPoolThrough(proxy.port(), enlistment);
    }

    EntityManagerFactory unit(AgroalDataSource itsPool, Map<String, Object> properties) {
        return database.jtaUnit(itsPool, properties);
    }

    /** A unit that is not made by JPA's bootstrap. */
    SessionFactory hibernatesOwn() {
        return new MetadataSources(new StandardServiceRegistryBuilder()
                        .applySetting("hibernate.connection.datasource", pool)
                        .applySetting("hibernate.transaction.coordinator_class", "jta")
                        .applySetting("hibernate.transaction.jta.platform", NarayanaJtaPlatform.class.getName())
                        .applySetting(OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE)
                        .applySetting(OutboxUnit.QUEUE_ID, Requests.QUEUE)
                        .build())
                .addAnnotatedClass(AssignedJob.class)
                .buildMetadata()
                .buildSessionFactory();
    }

    static void begin(EntityManager em) throws Exception {
        Narayana.manager().begin();
        em.joinTransaction();
    }

    /** The row and its command, or neither. */
    void assertStored(String id, int count) throws SQLException {
        assertEquals(count, database.rowsOf("assigned_job", id));
        assertEquals(count, database.commands(List.of(id)));
    }

    /** No transaction is left on the thread, no connection out of the pool and no strike armed. */
    void assertAtRest() throws SystemException {
        Narayana.clearThread();
        assertEquals(0, pool.getMetrics().activeCount());
        assertEquals(0, proxy.disarm());
    }

    @Override
    public void close() {
        database.close();
        proxy.close();
    }
}
