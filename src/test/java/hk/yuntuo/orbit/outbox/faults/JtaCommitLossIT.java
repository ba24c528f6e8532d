package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.support.jta.JtaBench;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.Mark;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManager;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A COMMIT that is lost on the wire under JTA. What the transaction manager makes of it is written down here: it is not the truth, in either
 * direction. The truth is found by a resource-local unit over the same schema.
 */
class JtaCommitLossIT extends JtaFaults {
    @ParameterizedTest
    @CsvSource({
        "LOCAL, CUT_BEFORE", "LOCAL, CUT_WITHIN", "LOCAL, SWALLOW_REPLY",
        "XA, CUT_BEFORE", "XA, CUT_WITHIN", "XA, SWALLOW_REPLY"
    })
    void aCommitWithoutAnAnswerIsUnconfirmedAndResolvable(Enlistment enlistment, Strike strike) throws Exception {
        JtaBench bench = BENCHES.get(enlistment);
        Mark mark = proxy.next(bench.commit(), strike);
        CommitUnconfirmedException e = assertThrows(CommitUnconfirmedException.class, () -> report(bench));
        assertEquals(id, e.operationId().orElseThrow());
        mark.awaitStruck();

        boolean committed = strike == Strike.SWALLOW_REPLY;
        assertEquals(committed ? "OK" : "none", mark.answer());
        assertEquals(committed, truth.resolve(id).isPresent());
        JtaBench.assertStored(database, id, committed ? 1 : 0);
        assertEquals(committed ? EnqueueResult.DUPLICATE : EnqueueResult.INSERTED, report(bench));
        JtaBench.assertStored(database, id, 1);
    }

    /** The lie: a pool that got no answer reports a rollback, and Narayana passes it on to the caller and to all synchronizations. */
    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "SWALLOW_REPLY"})
    void ofALocalResourceNarayanaSaysRolledBackWhateverTheServerDid(Strike strike) throws Exception {
        JtaBench bench = BENCHES.get(Enlistment.LOCAL);
        List<Integer> told = new ArrayList<>();
        proxy.next(bench.commit(), strike);
        assertThrows(RollbackException.class, () -> commitOneself(bench, told));
        assertEquals(List.of(Status.STATUS_ROLLEDBACK), told);
        assertFoundOut(bench, strike == Strike.SWALLOW_REPLY);
    }

    /** The other lie: the caller is told that nobody knows, the synchronizations are told of a commit. */
    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "SWALLOW_REPLY"})
    void ofAnXaResourceNarayanaTellsSynchronizationsOfACommitWhateverTheServerDid(Strike strike) throws Exception {
        JtaBench bench = BENCHES.get(Enlistment.XA);
        List<Integer> told = new ArrayList<>();
        proxy.next(bench.commit(), strike);
        assertThrows(HeuristicMixedException.class, () -> commitOneself(bench, told));
        assertEquals(List.of(Status.STATUS_COMMITTED), told);
        assertFoundOut(bench, strike == Strike.SWALLOW_REPLY);
    }

    /** Between the last callback and the COMMIT nothing can be told apart any more, so nothing is. */
    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "SWALLOW_REPLY"})
    void aConnectionThatIsLostJustBeforeTheXaCommitIsUnconfirmedToo(Strike strike) throws SQLException {
        JtaBench bench = BENCHES.get(Enlistment.XA);
        proxy.next(sql -> sql.startsWith("XA END"), strike);
        CommitUnconfirmedException e = assertThrows(CommitUnconfirmedException.class, () -> report(bench));
        assertInstanceOf(RollbackException.class, e.getCause());
        assertEquals(false, truth.resolve(id).isPresent());
        JtaBench.assertStored(database, id, 0);
    }

    @ParameterizedTest
    @EnumSource
    void aConnectionThatIsLostBeforeTheCommitPhaseIsNotUnconfirmed(Enlistment enlistment) throws Exception {
        JtaBench bench = BENCHES.get(enlistment);
        Mark mark = proxy.next(MySqlProxy.containing("insert into business_job"), Strike.CUT_BEFORE);
        RuntimeException e = assertThrows(RuntimeException.class, () -> report(bench));
        mark.awaitStruck();
        assertEquals(false, e instanceof CommitUnconfirmedException);
        assertEquals(false, truth.resolve(id).isPresent());
        JtaBench.assertStored(database, id, 0);
    }

    private EnqueueResult report(JtaBench bench) {
        return bench.outbox().transactions().inTransaction(id, em -> bench.report(em, id));
    }

    /** As a caller does who manages its transactions itself. */
    private void commitOneself(JtaBench bench, List<Integer> told) throws Exception {
        MANAGER.begin();
        try (EntityManager em = bench.unit().createEntityManager()) {
            em.joinTransaction();
            bench.report(em, id);
            MANAGER.getTransaction().registerSynchronization(Narayana.afterCompletion(told::add));
            MANAGER.commit();
        }
    }

    private void assertFoundOut(JtaBench bench, boolean committed) throws Exception {
        assertEquals(committed, truth.resolve(id).isPresent());
        JtaBench.assertStored(database, id, committed ? 1 : 0);
        MANAGER.begin();
        try (EntityManager em = bench.unit().createEntityManager()) {
            assertEquals(committed ? EnqueueResult.DUPLICATE : EnqueueResult.INSERTED, bench.report(em, id));
            MANAGER.commit();
        }
        JtaBench.assertStored(database, id, 1);
    }
}
