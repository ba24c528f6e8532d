package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.BareJob;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.Delivery;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.Errand;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceConfiguration;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Wherever the listener is named, in XML or a subclass or twice, a persisted source is enqueued once. */
class ListenerPlacesIT {
    private static final Map<String, Object> QUEUE =
            Map.of(OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE, OutboxUnit.QUEUE_ID, Requests.QUEUE);
    private static final String XML = "hk/yuntuo/orbit/outbox/jpa/";

    private static ListenerDatabase database;
    private static DataSource pool;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("places");
        for (String table : HalfJobs.TABLES) {
            database.database().update("CREATE TABLE " + table);
        }
        pool = database.database().pool("", 5);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void theListenerOfAnEntityInXmlEnqueues() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("xml")
                .managedClass(BareJob.class)
                .mappingFile(XML + "listener-of-entity.xml");
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, BareJob::new, "bare_job");
        }
    }

    @Test
    void theListenerOfAnEntityInXmlEnqueuesForAStatelessInsertToo() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("xml")
                .managedClass(BareJob.class)
                .mappingFile(XML + "listener-of-entity.xml");
        String id = OperationId.next().value();
        try (EntityManagerFactory unit = built(configuration)) {
            unit.unwrap(SessionFactory.class).inStatelessTransaction(session -> session.insert(new BareJob(id)));
        }
        assertEquals(1, database.rowsOf("bare_job", id));
        assertEquals(1, database.commands(List.of(id)));
    }

    @Test
    void theDefaultListenerOfAUnitEnqueues() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("xml-default")
                .managedClass(BareJob.class)
                .mappingFile(XML + "listener-by-default.xml");
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, BareJob::new, "bare_job");
        }
    }

    @Test
    void aUnitMappedByXmlAloneEnqueues() throws SQLException {
        PersistenceConfiguration configuration =
                new HibernatePersistenceConfiguration("xml-only").mappingFile(XML + "xml-only.xml");
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, BareJob::new, "bare_job");
        }
    }

    @Test
    void aListenerThatIsNamedTwiceEnqueuesOnce() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("twice")
                .managedClass(AssignedJob.class)
                .mappingFile(XML + "listener-by-default.xml");
        try (EntityManagerFactory unit = built(configuration)) {
            AtomicInteger requests = new AtomicInteger();
            database.assertEnqueues(
                    unit,
                    id -> new AssignedJob(id)
                            .requesting(
                                    () -> Requests.of("{\"call\":" + requests.incrementAndGet() + "}"),
                                    AssignedJob.class),
                    "assigned_job");
            assertEquals(1, requests.get());
        }
    }

    @Test
    void defaultsOfTheUnitsXmlDoNotReachTheOutboxEntity() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("defaults")
                .managedClass(AssignedJob.class)
                .mappingFile(XML + "property-access-by-default.xml");
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        }
    }

    @Test
    void theListenerOfASubclassEnqueues() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("subclass")
                .managedClass(Errand.class)
                .managedClass(Delivery.class);
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, Delivery::new, "errand");
        }
    }

    @Test
    void anOutboxEntityThatIsNamedInXmlDoesNotClashWithTheContributedOne() throws SQLException {
        PersistenceConfiguration configuration = new HibernatePersistenceConfiguration("named-in-xml")
                .managedClass(AssignedJob.class)
                .mappingFile(XML + "named-outbox-entity.xml");
        try (EntityManagerFactory unit = built(configuration)) {
            database.assertEnqueues(unit, AssignedJob::new, "assigned_job");
        }
    }

    private static EntityManagerFactory built(PersistenceConfiguration configuration) {
        QUEUE.forEach(configuration::property);
        return configuration
                .property("jakarta.persistence.nonJtaDataSource", pool)
                .property("hibernate.connection.provider_disables_autocommit", "true")
                .createEntityManagerFactory();
    }
}
