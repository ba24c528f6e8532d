package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.LockModeType;
import jakarta.persistence.TypedQuery;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The row as JPA reads it, and what JPA cannot do to it. */
class OutboxEntityIT {
    private static final String LOCK_TIMEOUT = "jakarta.persistence.lock.timeout";
    private static final Map<String, Object> SKIP_LOCKED = Map.of(LOCK_TIMEOUT, -2);
    private static final String RECEIPT = "{\"task_id\":\"task-1\", \"secret\":\"收据\"}";
    private static final String PAYLOAD = "{\"secret\":\"负载😀\"}";

    private static final List<String> SENT = new CopyOnWriteArrayList<>();
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final String pending = OperationId.next().value();
    private final String accepted = OperationId.next().value();
    private final String review = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("entity");
        StatementInspector inspector = sql -> {
            SENT.add(sql);
            return sql;
        };
        factory = database.unit(
                "",
                Map.of(
                        "hibernate.hbm2ddl.auto",
                        "validate",
                        "hibernate.session_factory.statement_inspector",
                        inspector));
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void threeRows() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        for (String id : List.of(pending, accepted, review)) {
            outbox.transactions().inTransaction(em -> outbox.enqueue(em, id, Requests.of(PAYLOAD)));
        }
        String settled = "UPDATE sender_outbox SET due_at = NULL, send_count = 2, lease_epoch = 3000000000,"
                + " updated_at = '2026-03-29 02:30:00.000001', settled_at = '2026-11-01 01:30:00.999999', receipt_json = '"
                + RECEIPT + "', ";
        database.update(settled + "state = 'ACCEPTED', task_id = 'task-1', result_code = 'ACCEPTED'" + where(accepted));
        database.update(settled + "state = 'REVIEW', result_code = 'INVALID_RECEIPT'" + where(review));
        SENT.clear();
    }

    @Test
    void removingARowIsRefused() {
        String id = OutboxRows.enqueue(outbox, 1).get(0);
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            OutboxEntity row = em.find(OutboxEntity.class, new OutboxKey(Requests.NAMESPACE, id));
            assertThrows(IllegalStateException.class, () -> em.remove(row));
            em.getTransaction().rollback();
        }
        assertTrue(outbox.status(id).isPresent());
    }

    @Test
    void findReadsEveryFieldAsStatusDoes() {
        for (String id : List.of(pending, accepted, review)) {
            OutboxEntity row = find(id);
            assertEquals(outbox.status(id).orElseThrow(), record(row));
            assertTrue(row.getRequestJson().endsWith("\"payload\":" + PAYLOAD + "}"), row.getRequestJson());
        }
        assertEquals(RECEIPT, find(accepted).getReceiptJson());
        assertEquals(
                Instant.parse("2026-03-29T02:30:00.000001Z"), find(accepted).getUpdatedAt());
        assertEquals(
                Instant.parse("2026-11-01T01:30:00.999999Z"), find(accepted).getSettledAt());
        assertNull(find(OperationId.next().value()));
    }

    @Test
    void jpqlSelectsByEveryKindOfColumn() {
        String jpql = """
                select o from OutboxEntity o
                where o.namespaceId = :namespace and o.queueId = :queue and o.state in :states and o.sendCount >= 2
                  and o.leaseEpoch = 3000000000 and o.settledAt = :settled and o.dueAt is null and o.createdAt > :created
                order by o.state""";
        try (EntityManager em = factory.createEntityManager()) {
            List<OutboxRecord> rows = em.createQuery(jpql, OutboxEntity.class)
                    .setParameter("namespace", Requests.NAMESPACE)
                    .setParameter("queue", Requests.QUEUE)
                    .setParameter("states", List.of(OutboxState.ACCEPTED, OutboxState.REVIEW))
                    .setParameter("settled", Instant.parse("2026-11-01T01:30:00.999999Z"))
                    .setParameter("created", Instant.parse("2000-01-01T00:00:00Z"))
                    .getResultStream()
                    .map(OutboxEntityIT::record)
                    .toList();
            assertEquals(
                    List.of(
                            outbox.status(accepted).orElseThrow(),
                            outbox.status(review).orElseThrow()),
                    rows);
        }
    }

    @Test
    void aLockThatSkipsLockedRowsIsRenderedAndSkipsThem() throws SQLException {
        try (Connection holder = database.connect();
                EntityManager em = factory.createEntityManager()) {
            holder.setAutoCommit(false);
            TestDatabase.rows(holder, "SELECT 1 FROM sender_outbox" + where(accepted) + " FOR UPDATE");
            em.getTransaction().begin();

            assertEquals(Set.of(pending, review), ids(lockingQuery(em)));
            String sent = SENT.get(SENT.size() - 1).toLowerCase(Locale.ROOT);
            assertTrue(sent.matches("(?s)select .* for update( of \\w+)? skip locked"), sent);
            assertEquals(List.of(accepted), skippingJpa(holder));
            assertNull(em.find(OutboxEntity.class, key(accepted), LockModeType.PESSIMISTIC_WRITE, SKIP_LOCKED));

            holder.rollback();
            assertEquals(Set.of(pending, accepted, review), ids(lockingQuery(em)));
            assertEquals(List.of(), skippingJpa(holder));
            em.getTransaction().rollback();
        }
    }

    @Test
    void changesToALoadedRowAreNeverWritten() throws Exception {
        String before = database.value("SELECT * FROM sender_outbox" + where(accepted));
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            OutboxEntity row = em.find(OutboxEntity.class, key(accepted));
            SENT.clear();
            for (Field field : OutboxEntity.class.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    change(row, field);
                }
            }
            em.flush();
            em.getTransaction().commit();
        }
        assertEquals(List.of(), SENT);
        assertEquals(before, database.value("SELECT * FROM sender_outbox" + where(accepted)));
    }

    @Test
    void textOfARowShowsNeitherDocumentNorReceipt() {
        for (String id : List.of(pending, accepted, review)) {
            String text = find(id).toString();
            assertTrue(text.contains(id), text);
            assertFalse(text.contains("secret") || text.contains("负载") || text.contains("收据"), text);
        }
    }

    private static TypedQuery<OutboxEntity> lockingQuery(EntityManager em) {
        return em.createQuery("select o from OutboxEntity o order by o.operationId", OutboxEntity.class)
                .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                .setHint(LOCK_TIMEOUT, SKIP_LOCKED.get(LOCK_TIMEOUT));
    }

    private static Set<String> ids(TypedQuery<OutboxEntity> query) {
        return query.getResultStream().map(OutboxEntity::getOperationId).collect(Collectors.toSet());
    }

    /** What the claim of a sender would find. */
    private static List<String> skippingJpa(Connection connection) throws SQLException {
        return TestDatabase.rows(
                connection, "SELECT operation_id FROM sender_outbox ORDER BY operation_id FOR UPDATE SKIP LOCKED");
    }

    private static void change(OutboxEntity row, Field field) throws IllegalAccessException {
        field.setAccessible(true);
        boolean ofTheKey =
                field.getName().equals("namespaceId") || field.getName().equals("operationId");
        if (field.getType() == String.class && !ofTheKey) {
            field.set(row, "changed");
        } else if (field.getType() == Instant.class) {
            field.set(row, Instant.EPOCH);
        } else if (field.getType() == OutboxState.class) {
            field.set(row, OutboxState.PENDING);
        } else if (field.getType() == int.class || field.getType() == long.class) {
            field.set(row, 77);
        }
    }

    private static OutboxEntity find(String id) {
        try (EntityManager em = factory.createEntityManager()) {
            return em.find(OutboxEntity.class, key(id));
        }
    }

    private static OutboxKey key(String id) {
        return new OutboxKey(Requests.NAMESPACE, id);
    }

    private static String where(String id) {
        return " WHERE namespace_id = '" + Requests.NAMESPACE + "' AND operation_id = '" + id + "'";
    }

    private static OutboxRecord record(OutboxEntity row) {
        return new OutboxRecord(
                row.getNamespaceId(),
                row.getOperationId(),
                row.getQueueId(),
                row.getSubmissionKey(),
                row.getRequestSha256(),
                row.getState(),
                row.getSendCount(),
                row.getLeaseEpoch(),
                row.getDueAt(),
                row.getSendDeadlineAt(),
                row.getResultCode(),
                row.getTaskId(),
                row.getReceiptJson(),
                row.getCreatedAt(),
                row.getUpdatedAt(),
                row.getSettledAt());
    }
}
