package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.LendingDataSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.Transaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every call of JDBC that one delivery makes fails once, on connections that nothing puts in order but the library. Whatever fails: every
 * connection comes back as it was or dead, and the row and the business row agree.
 */
class FailingJdbcIT {
    private static TestDatabase database;
    private static Outbox truth;

    private FailingJdbc jdbc;
    private LendingDataSource pool;
    private boolean hasCallback;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("failing_jdbc");
        truth = Requests.outbox(database.unit());
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void whateverThrowsAnExceptionWhenItIsDone() throws Exception {
        use(() -> new SQLException("done all the same", "HY000", 1105), false);
        deliverWithEachFailure(resourceLocal());
    }

    @Test
    void whateverThrowsAnErrorBeforeItIsDone() throws Exception {
        use(() -> new LinkageError("not done"), true);
        deliverWithEachFailure(resourceLocal());
    }

    @Test
    void whateverThrowsAnExceptionWhenItIsDoneUnderJta() throws Exception {
        use(() -> new SQLException("done all the same", "HY000", 1105), false);
        deliverWithEachFailure(jta());
    }

    @Test
    void whateverThrowsAnErrorBeforeItIsDoneUnderJta() throws Exception {
        use(() -> new LinkageError("not done"), true);
        deliverWithEachFailure(jta());
    }

    private void use(Supplier<Throwable> failure, boolean isBefore) {
        jdbc = new FailingJdbc(failure, isBefore);
        pool = new LendingDataSource(() -> jdbc.lend(database.connect()));
    }

    private OutboxSender resourceLocal() {
        EntityManagerFactory unit =
                database.unit(pool, Map.of("hibernate.connection.provider_disables_autocommit", "false"));
        hasCallback = true;
        return SendingTest.sender(unit, SendingTest::link);
    }

    private OutboxSender jta() {
        return SendingTest.sender(database.jtaUnit(pool, List.of(BusinessJob.class), Map.of()), null);
    }

    private void deliverWithEachFailure(OutboxSender sender) throws Exception {
        int call = 0;
        while (isMadeAndEndsWell(call, sender)) {
            call++;
        }
        assertTrue(call > 100, call + " calls");
    }

    private boolean isMadeAndEndsWell(int call, OutboxSender sender) throws Exception {
        database.update("DELETE FROM sender_outbox");
        String id = OperationId.next().value();
        truth.transactions().inTransaction(id, em -> {
            em.persist(new BusinessJob(id, id));
            return truth.enqueue(em, id, Requests.of("1"));
        });
        Narayana.manager().begin();
        Transaction callers = Narayana.manager().getTransaction();
        jdbc.failAt(call);
        Throwable thrown = thrownBySending(sender);
        boolean made = jdbc.rest();

        String when = call + ": " + jdbc.failed() + ", then " + thrown;
        assertEquals(callers, Narayana.manager().getTransaction(), when);
        Narayana.manager().rollback();
        assertEquals(0, pool.outstanding(), when);
        assertEquals(List.of(), jdbc.changed(), when);
        assertStoredAsTold(id, thrown, when);
        return made;
    }

    private static @Nullable Throwable thrownBySending(OutboxSender sender) {
        try {
            sender.sendOnce(StubPlatform.accepting()).orElseThrow();
            return null;
        } catch (OutboxException | LinkageError e) {
            return e;
        }
    }

    private void assertStoredAsTold(String id, @Nullable Throwable thrown, String when) throws SQLException {
        OutboxState state = truth.resolve(id).orElseThrow().state();
        String task = database.value("SELECT task_id IS NOT NULL FROM business_job WHERE operation_id = '" + id + "'");
        if (thrown == null) {
            assertEquals(OutboxState.ACCEPTED, state, when);
        }
        assertEquals(hasCallback && state == OutboxState.ACCEPTED ? "1" : "0", task, when);
    }
}
