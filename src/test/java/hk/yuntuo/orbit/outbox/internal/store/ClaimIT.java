package hk.yuntuo.orbit.outbox.internal.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the claim reads and locks, with 200,000 settled rows beside it. The judges are the server's plan and its lock table. */
class ClaimIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static ShortTransactions transactions;
    private static final OutboxStore STORE = new OutboxStore(Requests.NAMESPACE, Requests.QUEUE);

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("claim");
        OutboxRows.addAccepted(database, 200_000);
        database.rows("ANALYZE TABLE sender_outbox");
        factory = database.unit("sessionVariables=innodb_lock_wait_timeout=1", Map.of());
        transactions = new ShortTransactions(factory);
        assertEquals("200000", database.value("SELECT COUNT(*) FROM sender_outbox"));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void thirtyDueRows() throws SQLException {
        database.update("DELETE FROM sender_outbox WHERE state = 'PENDING'");
        OutboxRows.enqueue(outbox(factory), 30);
    }

    @Test
    void theClaimIsOneRangeOfItsIndexWithoutASort() throws SQLException {
        String plan = explain("EXPLAIN FORMAT=TREE ").toLowerCase();

        assertTrue(plan.contains("index range scan on sender_outbox using ix_sender_due"), plan);
        assertFalse(plan.contains("sort"), plan);
        assertFalse(explain("EXPLAIN ").contains("filesort"), explain("EXPLAIN "));
    }

    @Test
    void theClaimReadsNoSettledRow() throws SQLException {
        String plan = explain("EXPLAIN ANALYZE ");

        assertTrue(
                plan.matches("(?s).*Index range scan on sender_outbox using ix_sender_due.*rows=20 loops=1.*"), plan);
    }

    @Test
    void theClaimLocksTheRowsItReturnsAndNothingElse() throws SQLException {
        List<String> locks = transactions.run(null, unit -> {
            assertEquals(20, STORE.lockDue(unit.connection(), 20).size());
            return database.rows("SELECT index_name, lock_mode, COUNT(*) FROM performance_schema.data_locks"
                    + " WHERE object_schema = '" + database.schemaName() + "' AND lock_type = 'RECORD'"
                    + " GROUP BY index_name, lock_mode ORDER BY index_name");
        });

        assertEquals(List.of("ix_sender_due|X,REC_NOT_GAP|20", "PRIMARY|X,REC_NOT_GAP|20"), locks);
    }

    @Test
    void twoOpenClaimsAreDisjoint() {
        Set<String> all = new HashSet<>();
        transactions.run(null, first -> {
            Set<String> firstIds = ids(STORE.lockDue(first.connection(), 20));
            transactions.run(null, second -> {
                Set<String> secondIds = ids(STORE.lockDue(second.connection(), 20));
                assertEquals(20, firstIds.size());
                assertEquals(10, secondIds.size());
                all.addAll(firstIds);
                all.addAll(secondIds);
                return null;
            });
            return null;
        });
        assertEquals(30, all.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"})
    void anOpenClaimBlocksNoEnqueue(String isolation) {
        EntityManagerFactory enqueuers = database.unit(
                "sessionVariables=innodb_lock_wait_timeout=1,transaction_isolation='" + isolation + "'", Map.of());
        Outbox outbox = outbox(enqueuers);
        transactions.run(null, unit -> {
            STORE.lockDue(unit.connection(), 30);
            for (int i = 0; i < 20; i++) {
                String id = OperationId.next().value();
                EnqueueResult result =
                        outbox.transactions().inTransaction(id, em -> outbox.enqueue(em, id, Requests.of("1")));
                assertEquals(EnqueueResult.INSERTED, result);
            }
            return null;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ-COMMITTED", "REPEATABLE-READ"})
    void anOpenEnqueueBlocksNoClaim(String isolation) {
        EntityManagerFactory enqueuers =
                database.unit("sessionVariables=transaction_isolation='" + isolation + "'", Map.of());
        Outbox outbox = outbox(enqueuers);
        outbox.transactions().inTransaction(em -> {
            outbox.enqueue(em, OperationId.next().value(), Requests.of("1"));
            transactions.run(null, unit -> {
                assertEquals(30, STORE.lockDue(unit.connection(), 100).size());
                return null;
            });
            return null;
        });
    }

    @Test
    void rowsOfOtherQueuesAndNamespacesAndThoseNotDueAreLeftAlone() throws SQLException {
        database.update("UPDATE sender_outbox SET queue_id = 'queue-2' WHERE state = 'PENDING' LIMIT 5");
        database.update("UPDATE sender_outbox SET due_at = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"
                + " WHERE state = 'PENDING' AND queue_id = 'queue-1' LIMIT 10");
        transactions.run(null, unit -> {
            assertEquals(15, STORE.lockDue(unit.connection(), 100).size());
            assertEquals(
                    0,
                    new OutboxStore("ns-2", Requests.QUEUE)
                            .lockDue(unit.connection(), 100)
                            .size());
            assertEquals(
                    0,
                    new OutboxStore("NS-1", Requests.QUEUE)
                            .lockDue(unit.connection(), 100)
                            .size());
            return null;
        });
    }

    private static Set<String> ids(List<DueRow> rows) {
        return rows.stream().map(row -> row.record().operationId()).collect(Collectors.toSet());
    }

    private static String explain(String how) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement select = connection.prepareStatement(how + Sql.CLAIM)) {
            select.setString(1, Requests.NAMESPACE);
            select.setString(2, Requests.QUEUE);
            select.setInt(3, 20);
            try (ResultSet row = select.executeQuery()) {
                StringBuilder plan = new StringBuilder();
                while (row.next()) {
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        plan.append(row.getString(i)).append(' ');
                    }
                }
                return plan.toString();
            }
        }
    }

    private static Outbox outbox(EntityManagerFactory factory) {
        return Requests.outbox(factory);
    }
}
