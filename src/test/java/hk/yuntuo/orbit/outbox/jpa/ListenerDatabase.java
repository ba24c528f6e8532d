package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;

/** A schema with the tables of {@link Jobs}, and units over it that have one queue by their properties. */
record ListenerDatabase(TestDatabase database) implements AutoCloseable {
    static ListenerDatabase create(String prefix) throws SQLException {
        TestDatabase database = TestDatabase.create(prefix);
        for (String table : Jobs.TABLES) {
            database.update("CREATE TABLE " + table);
        }
        database.update("INSERT INTO job_ids VALUES (1)");
        return new ListenerDatabase(database);
    }

    EntityManagerFactory unit(Map<String, Object> properties) {
        Map<String, Object> all = new HashMap<>(Map.of(
                OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE,
                OutboxUnit.QUEUE_ID, Requests.QUEUE));
        all.putAll(properties);
        return unit(List.of(), all);
    }

    /** The unit has the sources and more entities, and only the given properties. */
    EntityManagerFactory unit(List<Class<?>> more, Map<String, Object> properties) {
        List<Class<?>> entities = new ArrayList<>(Jobs.ALL);
        entities.addAll(more);
        return database.unit(database.pool("", 10), entities, properties);
    }

    /** A unit of transaction type JTA, with the sources, business jobs and one queue. */
    EntityManagerFactory jtaUnit(DataSource pool, Map<String, Object> properties) {
        List<Class<?>> entities = new ArrayList<>(Jobs.ALL);
        entities.add(BusinessJob.class);
        Map<String, Object> all = new HashMap<>(Map.of(
                OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE,
                OutboxUnit.QUEUE_ID, Requests.QUEUE));
        all.putAll(properties);
        return database.jtaUnit(pool, entities, all);
    }

    int commands(List<String> operationIds) throws SQLException {
        String ids = operationIds.isEmpty() ? "''" : "'" + String.join("','", operationIds) + "'";
        return Integer.parseInt(
                database.value("SELECT COUNT(*) FROM sender_outbox WHERE operation_id IN (" + ids + ")"));
    }

    int rowsOf(String table, String operationId) throws SQLException {
        return Integer.parseInt(
                database.value("SELECT COUNT(*) FROM " + table + " WHERE operation_id = '" + operationId + "'"));
    }

    /** Persists a new source, which then has its row and one command that can be queried by JPQL. */
    void assertEnqueues(EntityManagerFactory unit, Function<String, Object> source, String table) throws SQLException {
        String id = OperationId.next().value();
        unit.runInTransaction(em -> em.persist(source.apply(id)));
        assertEquals(List.of(Requests.QUEUE), queues(unit, id));
        assertEquals(1, rowsOf(table, id));
    }

    /** The queues of the commands of an operation, by JPQL. */
    static List<String> queues(EntityManagerFactory unit, String id) {
        return unit.callInTransaction(
                em -> em.createQuery("select o.queueId from OutboxEntity o where o.operationId = :id", String.class)
                        .setParameter("id", id)
                        .getResultList());
    }

    @Override
    public void close() {
        database.close();
    }
}
