package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Disturbance;
import hk.yuntuo.orbit.outbox.support.MarkingJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.jta.JtaBench;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.RollbackException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How JTA transactions end that were refused before their COMMIT, and what becomes of the caller's own. */
class JtaTransactionsIT extends JtaFaults {
    @ParameterizedTest
    @EnumSource
    void aConfirmedCommitReturnsTheWorksResult(Enlistment enlistment) throws SQLException {
        JtaBench one = BENCHES.get(enlistment);
        assertEquals(EnqueueResult.INSERTED, one.outbox().transactions().inTransaction(id, em -> one.report(em, id)));
        JtaBench.assertStored(database, id, 1);
    }

    @ParameterizedTest
    @EnumSource
    void theWorksOwnExceptionComesBackAndNothingIsStored(Enlistment enlistment) throws SQLException {
        JtaBench one = BENCHES.get(enlistment);
        IllegalStateException own = new IllegalStateException("own");
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> one.outbox().transactions().inTransaction(id, em -> {
                    one.report(em, id);
                    em.flush();
                    throw own;
                }));
        assertSame(own, e);
        JtaBench.assertStored(database, id, 0);
    }

    @Test
    void anErrorOfTheFlushComesBackAsItIs() throws SQLException {
        database.update("INSERT INTO business_job VALUES ('x', '" + id + "', NULL)");
        PersistenceException e = assertThrows(PersistenceException.class, this::report);
        assertFalse(e instanceof RollbackException);
        JtaBench.assertStored(database, id, 0);
        database.update("DELETE FROM business_job WHERE operation_id = 'x'");
    }

    @ParameterizedTest
    @EnumSource
    void aFlushOfAnotherSessionThatFailsWithinTheCommitIsARollback(Enlistment enlistment) throws SQLException {
        JtaBench one = BENCHES.get(enlistment);
        database.update("INSERT INTO business_job VALUES ('y', '" + id + "-y', NULL)");
        RollbackException e = assertThrows(
                RollbackException.class,
                () -> one.outbox().transactions().inTransaction(id, em -> {
                    flushedWithinTheCommit(one).persist(new BusinessJob("z", id + "-y"));
                    return one.report(em, id);
                }));
        assertInstanceOf(jakarta.transaction.RollbackException.class, e.getCause());
        JtaBench.assertStored(database, id, 0);
        database.update("DELETE FROM business_job WHERE operation_id = 'y'");
    }

    @Test
    void aLockFailureWithinTheCommitIsRetryable() throws SQLException {
        database.update("INSERT INTO business_job VALUES ('l', '" + id + "-l', NULL)");
        try (Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            TestDatabase.execute(holder, "UPDATE business_job SET task_id = 'h' WHERE operation_id = 'l'");
            assertThrows(
                    RetryableTransactionException.class,
                    () -> bench.outbox().transactions().inTransaction(id, em -> {
                        em.createNativeQuery("SET SESSION innodb_lock_wait_timeout = 1")
                                .executeUpdate();
                        bench.report(em, id);
                        flushedWithinTheCommit(bench).persist(new BusinessJob("l", "l"));
                        return null;
                    }));
            holder.rollback();
        }
        JtaBench.assertStored(database, id, 0);
        database.update("DELETE FROM business_job WHERE operation_id = 'l'");
    }

    @Test
    void aMarkForRollbackIsARollback() throws SQLException {
        assertRolledBack(em -> Narayana.unchecked(MANAGER::setRollbackOnly));
    }

    @Test
    void aMarkThatIsSetWithinTheFlushIsARollback() throws SQLException {
        assertRolledBack(em -> {
            em.clear();
            em.persist(new MarkingJob(id, () -> Narayana.unchecked(MANAGER::setRollbackOnly)));
        });
    }

    /** Narayana calls back to the end and throws nothing of its own: only the mark tells that no COMMIT was sent. */
    @Test
    void aMarkThatIsSetWithinTheCommitIsARollback() throws SQLException {
        assertRolledBack(em -> Narayana.unchecked(() -> MANAGER.getTransaction()
                .registerSynchronization(
                        Narayana.beforeCompletion(() -> Narayana.unchecked(MANAGER::setRollbackOnly)))));
    }

    @Test
    void aSwallowedErrorCannotCommitHalfATransaction() throws SQLException {
        database.update("INSERT INTO business_job VALUES ('s', '" + id + "', NULL)");
        assertThrows(
                RollbackException.class,
                () -> bench.outbox().transactions().inTransaction(id, em -> {
                    bench.report(em, id);
                    return assertThrows(PersistenceException.class, em::flush);
                }));
        JtaBench.assertStored(database, id, 0);
        database.update("DELETE FROM business_job WHERE operation_id = 's'");
    }

    /** It runs behind everything this library can register; that nothing was sent is true and not known. */
    @Test
    void anInterposedSynchronizationThatFailsLeavesItUnconfirmed() throws SQLException {
        assertThrows(
                CommitUnconfirmedException.class,
                () -> bench.outbox().transactions().inTransaction(id, em -> {
                    Narayana.registry().registerInterposedSynchronization(Narayana.beforeCompletion(() -> {
                        throw new IllegalStateException("interposed");
                    }));
                    return bench.report(em, id);
                }));
        JtaBench.assertStored(database, id, 0);
    }

    @Test
    void whatFailsAfterTheCommitDoesNotUndoIt() throws SQLException {
        EnqueueResult result = bench.outbox().transactions().inTransaction(id, em -> {
            Disturbance.afterCompletion(em);
            return bench.report(em, id);
        });
        assertEquals(EnqueueResult.INSERTED, result);
        JtaBench.assertStored(database, id, 1);
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionThatOutlivesItsTimeOutIsARollback(Enlistment enlistment) throws Exception {
        JtaBench one = BENCHES.get(enlistment);
        MANAGER.setTransactionTimeout(3);
        List<EntityManager> used = new ArrayList<>();
        RollbackException e = assertThrows(
                RollbackException.class,
                () -> one.outbox().transactions().inTransaction(id, em -> {
                    used.add(em);
                    one.report(em, id);
                    em.flush();
                    Narayana.awaitEnd();
                    return null;
                }));
        assertTrue(e.getMessage().contains("time-out"), e.getMessage());
        assertFalse(used.get(0).isOpen());
        JtaBench.assertStored(database, id, 0);
    }

    @Test
    void workThatGoesOnAfterTheTimeOutStoresNothing() throws Exception {
        MANAGER.setTransactionTimeout(3);
        assertThrows(
                RuntimeException.class,
                () -> bench.outbox().transactions().inTransaction(id, em -> {
                    bench.report(em, id);
                    Narayana.awaitEnd();
                    return bench.report(em, OperationId.next().value());
                }));
        assertEquals("0", database.value("SELECT COUNT(*) FROM business_job WHERE operation_id = '" + id + "'"));
        JtaBench.assertStored(database, id, 0);
    }

    @Test
    void workThatEndsItsTransactionItselfIsToldSo() throws SQLException {
        String second = OperationId.next().value();
        for (Narayana.Step end : List.<Narayana.Step>of(MANAGER::commit, MANAGER::rollback, MANAGER::suspend)) {
            assertThrows(
                    IllegalStateException.class,
                    () -> bench.outbox().transactions().inTransaction(id, em -> {
                        bench.outbox().enqueue(em, OperationId.next().value(), Requests.of("1"));
                        Narayana.unchecked(end);
                        Narayana.unchecked(MANAGER::begin);
                        try (EntityManager other = bench.unit().createEntityManager()) {
                            return bench.report(other, second);
                        }
                    }));
            Narayana.unchecked(Narayana::clearThread);
            JtaBench.assertStored(database, second, 0);
        }
    }

    private EnqueueResult report() {
        return bench.outbox().transactions().inTransaction(id, em -> bench.report(em, id));
    }

    private void assertRolledBack(Consumer<EntityManager> work) throws SQLException {
        RollbackException e = assertThrows(
                RollbackException.class,
                () -> bench.outbox().transactions().inTransaction(id, em -> {
                    bench.report(em, id);
                    work.accept(em);
                    return null;
                }));
        assertTrue(e.getMessage().contains("rolled back"), e.getMessage());
        JtaBench.assertStored(database, id, 0);
    }

    /** A second session in the transaction, which nobody flushes before the transaction manager has it flushed. */
    private static EntityManager flushedWithinTheCommit(JtaBench bench) {
        EntityManager other = bench.unit().createEntityManager();
        other.joinTransaction();
        return other;
    }
}
