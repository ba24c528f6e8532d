package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.jta.JtaBench;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManager;
import jakarta.persistence.RollbackException;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.hibernate.Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** JTA transactions of this library beside those of its callers and of others. */
class JtaCallersIT extends JtaFaults {
    private final String callers = OperationId.next().value();

    @ParameterizedTest
    @EnumSource
    void theCallersOwnTransactionIsSuspendedAndNeitherHearsOfTheOther(Enlistment enlistment) throws Exception {
        JtaBench one = BENCHES.get(enlistment);
        Transaction own = beginCallers(one, em -> {
            assertEquals(EnqueueResult.INSERTED, report(one));
            assertEquals(
                    "0", database.value("SELECT COUNT(*) FROM sender_outbox WHERE operation_id = '" + callers + "'"));
        });
        assertEquals(own, MANAGER.getTransaction());
        MANAGER.rollback();
        JtaBench.assertStored(database, id, 1);
        JtaBench.assertStored(database, callers, 0);
    }

    @Test
    void aRollbackWithinLeavesTheCallersTransactionAsItWas() throws Exception {
        Transaction own = beginCallers(
                bench,
                em -> assertThrows(
                        RollbackException.class,
                        () -> bench.outbox().transactions().inTransaction(id, inner -> {
                            bench.report(inner, id);
                            Narayana.unchecked(MANAGER::setRollbackOnly);
                            return null;
                        })));
        assertEquals(own, MANAGER.getTransaction());
        MANAGER.commit();
        JtaBench.assertStored(database, id, 0);
        JtaBench.assertStored(database, callers, 1);
    }

    @Test
    void aLostCommitWithinLeavesTheCallersTransactionAsItWas() throws Exception {
        Transaction own = beginCallers(bench, em -> {
            proxy.next(MySqlProxy.COMMIT, Strike.SWALLOW_REPLY);
            assertThrows(CommitUnconfirmedException.class, () -> report(bench));
        });
        assertEquals(own, MANAGER.getTransaction());
        MANAGER.commit();
        JtaBench.assertStored(database, id, 1);
        JtaBench.assertStored(database, callers, 1);
    }

    @ParameterizedTest
    @EnumSource
    void aDeadlockIsRetryable(Enlistment enlistment) throws Exception {
        JtaBench one = BENCHES.get(enlistment);
        assertThrows(
                RetryableTransactionException.class,
                () -> deadlock(one, em -> em.createNativeQuery(UPDATE_A).executeUpdate()));
    }

    /** Hidden from Hibernate by the work; MySQL refuses the end of the branch, and Narayana's rollback is true for once. */
    @Test
    void aDeadlockThatTheWorkSwallowsIsRetryableUnderXa() throws Exception {
        assertThrows(
                RetryableTransactionException.class,
                () -> deadlock(
                        BENCHES.get(Enlistment.XA),
                        em -> em.unwrap(Session.class)
                                .doWork(connection -> assertThrows(
                                        SQLException.class, () -> TestDatabase.execute(connection, UPDATE_A)))));
    }

    private static final String UPDATE_A = "UPDATE business_job SET task_id = 'x' WHERE operation_id = 'a'";
    private static final String UPDATE_B = "UPDATE business_job SET task_id = 'x' WHERE operation_id = 'b'";

    private interface JdbcWork {
        void run(EntityManager em) throws Exception;
    }

    /** The other transaction has changed more rows, so that the server chooses the one under test. */
    private void deadlock(JtaBench one, JdbcWork closing) throws Exception {
        database.update("REPLACE INTO business_job VALUES ('a', 'a', NULL), ('b', 'b', NULL)");
        try (Connection other = database.connect()) {
            other.setAutoCommit(false);
            for (int i = 0; i < 50; i++) {
                TestDatabase.execute(other, "INSERT INTO business_job VALUES ('o" + i + "', 'o" + i + "', NULL)");
            }
            TestDatabase.execute(other, UPDATE_A);
            CompletableFuture<?>[] blocked = new CompletableFuture<?>[1];
            try {
                one.outbox().transactions().inTransaction(id, em -> {
                    one.outbox().enqueue(em, id, Requests.of("1"));
                    em.createNativeQuery(UPDATE_B).executeUpdate();
                    blocked[0] = CompletableFuture.runAsync(
                            () -> Narayana.unchecked(() -> TestDatabase.execute(other, UPDATE_B)));
                    Narayana.unchecked(JtaCallersIT::awaitLockWait);
                    return rethrowing(closing, em);
                });
            } finally {
                blocked[0].get(60, TimeUnit.SECONDS);
                other.rollback();
                JtaBench.assertStored(database, id, 0);
            }
        }
    }

    private static Void rethrowing(JdbcWork work, EntityManager em) {
        try {
            work.run(em);
            return null;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitLockWait() throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (database.rows("SELECT 1 FROM performance_schema.data_locks WHERE lock_status = 'WAITING'"
                        + " AND object_schema = '" + database.schemaName() + "'")
                .isEmpty()) {
            assertTrue(System.nanoTime() < end);
        }
    }

    private EnqueueResult report(JtaBench one) {
        return one.outbox().transactions().inTransaction(id, em -> one.report(em, id));
    }

    private interface Within {
        void run(EntityManager em) throws Exception;
    }

    /** A transaction of the caller that has enqueued and written before and does so after; it is left on the thread. */
    private Transaction beginCallers(JtaBench one, Within within) throws Exception {
        MANAGER.begin();
        EntityManager em = one.unit().createEntityManager();
        one.outbox().enqueue(em, callers, Requests.of("1"));
        within.run(em);
        em.persist(new BusinessJob(callers, callers));
        em.close(); // Hibernate closes it after the transaction.
        return MANAGER.getTransaction();
    }
}
