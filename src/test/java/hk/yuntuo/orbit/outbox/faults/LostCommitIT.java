package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.proxy.Mark;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The connection is lost at a COMMIT, in each of the three kinds of transactions: the business's, the claim's and the settlement's.
 * Whoever comes next, on a connection of its own, finds the truth.
 */
class LostCommitIT extends LossAtTheWire {
    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "CUT_WITHIN", "SWALLOW_REPLY"})
    void aBusinessCommitIsUnconfirmedAndTheNextTryFindsTheTruth(Strike strike) throws SQLException {
        Mark mark = proxy.next(MySqlProxy.COMMIT, strike);
        CommitUnconfirmedException e = assertThrows(CommitUnconfirmedException.class, () -> report(behindProxy));
        assertEquals(id, e.operationId().orElseThrow());
        assertEquals(committed(strike) ? "OK" : "none", mark.answer());

        assertEquals(committed(strike), fresh().resolve(id).isPresent());
        assertRows(committed(strike) ? 1 : 0);
        assertEquals(committed(strike) ? EnqueueResult.DUPLICATE : EnqueueResult.INSERTED, report(behindProxy));
        assertRows(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "CUT_WITHIN", "SWALLOW_REPLY"})
    void aClaimWhoseCommitIsLostSendsNothingAndTheLeaseDecides(Strike strike) throws SQLException {
        report(direct);
        Mark mark = proxy.next(MySqlProxy.COMMIT, strike);
        assertThrows(CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
        assertEquals(committed(strike) ? "OK" : "none", mark.answer());

        assertEquals(List.of(), platform.keys());
        assertEquals(committed(strike) ? OutboxState.SENDING : OutboxState.PENDING, row().state());
        assertEquals(committed(strike) ? 1 : 0, row().leaseEpoch());
        OutboxSender next = sender(direct);
        if (committed(strike)) {
            assertTrue(next.sendOnce(platform).isEmpty());
            OutboxRows.makeDue(database, id);
        }
        awaitUnlocked();
        next.sendOnce(platform);
        assertAcceptedOnce(committed(strike) ? 2 : 1);
        assertEquals(1, platform.keys().size());
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT_BEFORE", "CUT_WITHIN", "SWALLOW_REPLY"})
    void aConfirmationWhoseCommitIsLostIsFoundOrRepeated(Strike strike) throws SQLException {
        report(direct);
        Mark mark = proxy.next(MySqlProxy.COMMIT, 1, strike);
        CommitUnconfirmedException e = assertThrows(
                CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
        assertEquals(id, e.operationId().orElseThrow());
        assertEquals(committed(strike) ? "OK" : "none", mark.answer());

        assertEquals(committed(strike) ? OutboxState.ACCEPTED : OutboxState.SENDING, row().state());
        assertFoundOrRepeated(committed(strike));
    }

    @Test
    void aRetryWhoseCommitIsLostIsFoundOrRepeatedToo() throws SQLException {
        report(direct);
        StubPlatform failing = new StubPlatform(command -> {
            throw new IllegalStateException("no answer");
        });
        proxy.next(MySqlProxy.COMMIT, 1, Strike.SWALLOW_REPLY);
        assertThrows(CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(failing));
        assertEquals(OutboxState.PENDING, row().state());

        OutboxRows.makeDue(database, id);
        proxy.next(MySqlProxy.COMMIT, 1, Strike.CUT_BEFORE);
        assertThrows(CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(failing));
        assertEquals(OutboxState.SENDING, row().state());

        OutboxRows.makeDue(database, id);
        sender(direct).sendOnce(platform);
        assertAcceptedOnce(3);
    }
}
