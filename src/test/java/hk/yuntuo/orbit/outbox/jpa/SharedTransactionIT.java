package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.UuidJob;
import hk.yuntuo.orbit.outbox.model.DuplicateOperationException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sessions that share a transaction, and one that is used within the persist of another. */
class SharedTransactionIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory factory;

    private final String id = OperationId.next().value();
    private final String second = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("shared");
        factory = database.unit(Map.of());
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void aChildThatFlushesAsTheLastOneKeepsItsCommand() throws SQLException {
        factory.runInTransaction(em -> {
            em.persist(new AssignedJob(second));
            em.flush();
            child(em.unwrap(Session.class)).persist(new AssignedJob(id));
        });
        assertStored("assigned_job", second, 1);
        assertStored("assigned_job", id, 1);
    }

    @Test
    void aRowThatAChildDeletesAsTheLastOneTakesItsCommandAlong() throws SQLException {
        factory.runInTransaction(em -> {
            em.persist(new AssignedJob(id));
            em.flush();
            Session child = child(em.unwrap(Session.class));
            child.remove(child.find(AssignedJob.class, id));
        });
        assertStored("assigned_job", id, 0);
    }

    /** It flushes within the commit, after its parent, which flushes no more itself. */
    private static Session child(Session parent) {
        parent.setHibernateFlushMode(FlushMode.MANUAL);
        return parent.sessionWithOptions()
                .connection()
                .flushMode(FlushMode.AUTO)
                .openSession();
    }

    @Test
    void twoSessionsCannotShareTheCommandOfOneOperation() throws SQLException {
        UuidJob job = new UuidJob(id).requesting(() -> Requests.of("{}"), UuidJob.class);
        try (Session parent = factory.unwrap(SessionFactory.class).openSession()) {
            parent.beginTransaction();
            parent.persist(new AssignedJob(id));
            try (Session child = parent.sessionWithOptions().connection().openSession()) {
                assertThrows(DuplicateOperationException.class, () -> child.persist(new AssignedJob(id)));
            }
            try (StatelessSession stateless =
                    parent.statelessWithOptions().connection().openStatelessSession()) {
                assertThrows(RuntimeException.class, () -> stateless.insert(job));
            }
            parent.getTransaction().rollback();
        }
        assertStored("assigned_job", id, 0);
    }

    @Test
    void aStatelessSessionWithinARequestEnqueuesInItsOwnTransaction() throws SQLException {
        AssignedJob outer = new AssignedJob(id)
                .requesting(
                        () -> {
                            factory.unwrap(SessionFactory.class)
                                    .inStatelessTransaction(session -> session.insert(new AssignedJob(second)));
                            return Requests.of("{}");
                        },
                        AssignedJob.class);
        factory.runInTransaction(em -> em.persist(outer));
        assertStored("assigned_job", id, 1);
        assertStored("assigned_job", second, 1);
    }

    private static void assertStored(String table, String id, int count) throws SQLException {
        assertEquals(count, database.rowsOf(table, id));
        assertEquals(count, database.commands(List.of(id)));
    }
}
