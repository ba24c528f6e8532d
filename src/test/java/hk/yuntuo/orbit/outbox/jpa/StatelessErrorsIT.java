package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.exception.ConstraintViolationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A StatelessSession does not mark its transaction for an error, so an application may go on. */
class StatelessErrorsIT {
    private static ListenerDatabase database;
    private static SessionFactory factory;

    private final String id = OperationId.next().value();
    private final AssignedJob job = new AssignedJob(id);

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("stateless");
        factory = database.unit(Map.of()).unwrap(SessionFactory.class);
        factory.inTransaction(session -> {
            AssignedJob other = new AssignedJob(OperationId.next().value());
            other.note("taken");
            session.persist(other);
        });
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private void refuse(StatelessSession session) {
        session.beginTransaction();
        job.note("taken");
        assertThrows(ConstraintViolationException.class, () -> session.insert(job));
        job.note("free " + id);
    }

    @Test
    void anInsertThatIsTriedAgainHasTheRequestOfItsLastTry() throws SQLException {
        try (StatelessSession session = factory.openStatelessSession()) {
            refuse(session);
            session.insert(job);
            session.getTransaction().commit();
        }
        assertEquals(1, database.rowsOf("assigned_job", id));
        String document =
                database.database().value("SELECT request_json FROM sender_outbox WHERE operation_id = '" + id + "'");
        assertTrue(document.contains("free"), document);
    }

    @Test
    void anInsertThatIsTriedAgainAfterTheServerHasRolledBackIsRefused() throws SQLException {
        try (StatelessSession session = factory.openStatelessSession()) {
            refuse(session);
            session.doWork(connection -> TestDatabase.execute(connection, "ROLLBACK")); // as a deadlock does
            assertThrows(OutboxStorageException.class, () -> session.insert(job));
            session.getTransaction().commit();
        }
        assertEquals(0, database.rowsOf("assigned_job", id));
        assertEquals(0, database.commands(List.of(id)));
    }
}
