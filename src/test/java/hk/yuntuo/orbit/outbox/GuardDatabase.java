package hk.yuntuo.orbit.outbox;

import hk.yuntuo.orbit.outbox.jpa.OutboxUnit;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.SharedSessionContract;
import org.hibernate.Transaction;

/** A schema with the tables of {@link Jobs} and {@link GuardRows}, and units over it whose guard is chosen. */
record GuardDatabase(TestDatabase database) implements AutoCloseable {
    private static final AtomicLong IDS = new AtomicLong(1_000);

    static GuardDatabase create(String prefix) throws SQLException {
        TestDatabase database = TestDatabase.create(prefix);
        for (String table :
                Stream.concat(Jobs.TABLES.stream(), GuardRows.TABLES.stream()).toList()) {
            database.update("CREATE TABLE " + table);
        }
        database.update("INSERT INTO job_ids VALUES (1)");
        return new GuardDatabase(database);
    }

    /** A unit whose listener enqueues with this guard. */
    SessionFactory unit(LockOrderGuard guard, Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(Map.of(
                OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE,
                OutboxUnit.QUEUE_ID, Requests.QUEUE,
                OutboxUnit.LOCK_ORDER_GUARD, guard.name()));
        properties.putAll(more);
        return plainUnit(properties);
    }

    /** A unit with only these properties: nothing watches it until an outbox is built. */
    SessionFactory plainUnit(Map<String, Object> properties) {
        List<Class<?>> entities = new ArrayList<>(Jobs.ALL);
        entities.addAll(GuardRows.ALL);
        return database.unit(database.pool("", 10), entities, properties).unwrap(SessionFactory.class);
    }

    static Outbox outbox(SessionFactory unit, LockOrderGuard guard) {
        return Outbox.builder(unit)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .lockOrderGuard(guard)
                .build();
    }

    /** Commits, and rolls back after any error: of an assertion too, which Hibernate's own method would leave open with its locks. */
    static void inTransaction(SessionFactory unit, Consumer<Session> work) {
        try (Session session = unit.openSession()) {
            inTransaction(session, work);
        }
    }

    /** The same in a session that is used again. */
    static <S extends SharedSessionContract> void inTransaction(S session, Consumer<S> work) {
        Transaction transaction = session.beginTransaction();
        try {
            work.accept(session);
        } catch (RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
        transaction.commit();
    }

    static long newId() {
        return IDS.incrementAndGet();
    }

    static String newOperation() {
        return OperationId.next().value();
    }

    /** A committed note with one tag. */
    long newNote() throws SQLException {
        long id = newId();
        database.update("INSERT INTO guard_note VALUES (" + id + ", 'code-" + id + "', 'old', 0)");
        database.update("INSERT INTO guard_note_tags VALUES (" + id + ", 'old')");
        return id;
    }

    int commands(String operationId) throws SQLException {
        return Integer.parseInt(
                database.value("SELECT COUNT(*) FROM sender_outbox WHERE operation_id = '" + operationId + "'"));
    }

    @Override
    public void close() {
        database.close();
    }
}
