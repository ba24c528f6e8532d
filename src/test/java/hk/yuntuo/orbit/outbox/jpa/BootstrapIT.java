package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import jakarta.persistence.PersistenceConfiguration;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.BootstrapServiceRegistry;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.boot.registry.classloading.internal.ClassLoaderServiceImpl;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.spi.EventType;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** However a unit is booted, a persisted source is enqueued, and the rows can be queried without naming their entity. */
class BootstrapIT {
    private static final Map<String, Object> QUEUE =
            Map.of(OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE, OutboxUnit.QUEUE_ID, Requests.QUEUE);

    private static ListenerDatabase database;
    private static DataSource pool;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("bootstrap");
        pool = database.database().pool("", 5);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void aUnitOfPersistenceXmlEnqueues() throws SQLException {
        try (EntityManagerFactory unit = Persistence.createEntityManagerFactory(
                "orbit-outbox-bootstrap", Map.of("jakarta.persistence.nonJtaDataSource", pool))) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        }
    }

    @Test
    void propertiesGivenInCodeGoBeforeThoseOfPersistenceXml() throws SQLException {
        Map<String, Object> properties =
                Map.of("jakarta.persistence.nonJtaDataSource", pool, OutboxUnit.NAMESPACE_ID, "ns-of-the-code");
        try (EntityManagerFactory unit = Persistence.createEntityManagerFactory("orbit-outbox-bootstrap", properties)) {
            String id = OperationId.next().value();
            unit.runInTransaction(em -> em.persist(new AssignedJob(id)));
            assertEquals(
                    "ns-of-the-code",
                    database.database()
                            .value("SELECT namespace_id FROM sender_outbox WHERE operation_id = '" + id + "'"));
        }
    }

    @Test
    void aUnitOfAJakartaPersistenceConfigurationEnqueues() throws SQLException {
        PersistenceConfiguration configuration =
                new PersistenceConfiguration("jakarta").managedClass(AssignedJob.class);
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        }
    }

    @Test
    void aUnitOfAHibernatePersistenceConfigurationEnqueues() throws SQLException {
        PersistenceConfiguration configuration =
                new HibernatePersistenceConfiguration("hibernate").managedClass(AssignedJob.class);
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        }
    }

    @Test
    void aUnitOfMetadataSourcesEnqueues() throws SQLException {
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder()
                .applySettings(QUEUE)
                .applySetting("hibernate.connection.datasource", pool)
                .build();
        try (SessionFactory unit = new MetadataSources(registry)
                .addAnnotatedClass(AssignedJob.class)
                .buildMetadata()
                .buildSessionFactory()) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        } finally {
            StandardServiceRegistryBuilder.destroy(registry);
        }
    }

    @Test
    void aUnitOfAHibernateConfigurationEnqueues() throws SQLException {
        Configuration configuration = new Configuration().addAnnotatedClass(AssignedJob.class);
        configuration.getProperties().putAll(QUEUE);
        configuration.getProperties().put("hibernate.connection.datasource", pool);
        try (SessionFactory unit = configuration.buildSessionFactory()) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        }
    }

    @Test
    void anOutboxEntityThatIsNamedDoesNotClashWithTheContributedOne() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("named")
                .managedClass(AssignedJob.class)
                .managedClass(OutboxEntity.class);
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        }
    }

    @Test
    void plainEntitiesOfTheUnitAreStoredWithoutACommand() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("mixed")
                .managedClass(AssignedJob.class)
                .managedClass(BusinessJob.class);
        try (EntityManagerFactory unit = built(configuration)) {
            String id = OperationId.next().value();
            unit.runInTransaction(em -> em.persist(new BusinessJob(id, id)));
            assertEquals(List.of(), ListenerDatabase.queues(unit, id));
            assertEquals(1, database.rowsOf("business_job", id));
        }
    }

    @Test
    void aUnitBuiltWithoutTheIntegratorStoresNoSource() throws SQLException {
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder(withoutIntegrators())
                .applySettings(QUEUE)
                .applySetting("hibernate.connection.datasource", pool)
                .build();
        AssignedJob job = new AssignedJob(OperationId.next().value());
        try (SessionFactory unit = new MetadataSources(registry)
                .addAnnotatedClass(AssignedJob.class)
                .buildMetadata()
                .buildSessionFactory()) {
            IllegalStateException e =
                    assertThrows(IllegalStateException.class, () -> unit.runInTransaction(em -> em.persist(job)));
            assertTrue(e.getMessage().contains("built without OutboxIntegrator"), e::getMessage);
            assertThrows(
                    IllegalStateException.class, () -> unit.inStatelessTransaction(session -> session.insert(job)));
        } finally {
            StandardServiceRegistryBuilder.destroy(registry);
        }
        assertEquals(0, database.rowsOf("assigned_job", job.outboxOperationId()));
    }

    @Test
    void ofAUnitBuiltWithoutTheIntegratorTheGuardWatchesEntitiesAndOnlyOnce() {
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder(withoutIntegrators())
                .applySetting("hibernate.connection.datasource", pool)
                .build();
        try (SessionFactory unit = new MetadataSources(registry).buildMetadata().buildSessionFactory()) {
            int before = insertListeners(unit);
            Requests.outbox(unit);
            Requests.outbox(unit);
            assertEquals(before + 1, insertListeners(unit));
        } finally {
            StandardServiceRegistryBuilder.destroy(registry);
        }
    }

    private static int insertListeners(SessionFactory unit) {
        return unit.unwrap(SessionFactoryImplementor.class)
                .getEventListenerRegistry()
                .getEventListenerGroup(EventType.POST_INSERT)
                .count();
    }

    private static BootstrapServiceRegistry withoutIntegrators() {
        return new BootstrapServiceRegistryBuilder()
                .applyClassLoaderService(new ClassLoaderServiceImpl() {
                    @Override
                    public <S> Collection<S> loadJavaServices(Class<S> contract) {
                        return contract == Integrator.class ? List.of() : super.loadJavaServices(contract);
                    }
                })
                .build();
    }

    private static EntityManagerFactory built(PersistenceConfiguration configuration) {
        QUEUE.forEach(configuration::property);
        return configuration
                .property("jakarta.persistence.nonJtaDataSource", pool)
                .property("hibernate.connection.provider_disables_autocommit", "true")
                .createEntityManagerFactory();
    }
}
