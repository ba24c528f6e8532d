package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.proxy.Mark;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A COMMIT, or the answer to it, comes when its client has given up already. */
class LateCommitIT extends LossAtTheWire {
    @Test
    void aBusinessCommitThatArrivesAfterItsClientGaveUpIsWaitedForByResolve() throws Exception {
        EntityManagerFactory impatient =
                database.unit(database.poolThrough(proxy.port(), "socketTimeout=3000"), Map.of());
        try (Mark ghost = proxy.next(MySqlProxy.COMMIT, Strike.DELAY)) {
            assertThrows(CommitUnconfirmedException.class, () -> report(impatient));

            CompletableFuture<Optional<OutboxRecord>> resolved =
                    CompletableFuture.supplyAsync(() -> fresh().resolve(id));
            database.awaitLockWait();
            assertTrue(fresh().status(id).isEmpty());
            ghost.release();
            assertTrue(resolved.get(60, TimeUnit.SECONDS).isPresent());
        }
        assertRows(1);
    }

    @Test
    void aClaimThatArrivesAfterItsSenderGaveUpSendsNothingAndIsALease() throws Exception {
        report(direct);
        OutboxSender next = sender(direct);
        try (Mark ghost = proxy.next(MySqlProxy.COMMIT, Strike.DELAY)) {
            assertThrows(
                    CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
            assertTrue(next.sendOnce(platform).isEmpty(), "the ghost holds the row locked");
            ghost.release();
            ghost.awaitAnswer();
            assertEquals(OutboxState.SENDING, row().state());
        }
        assertTrue(next.sendOnce(platform).isEmpty());
        assertEquals(List.of(), platform.keys());

        OutboxRows.makeDue(database, id);
        next.sendOnce(platform);
        assertAcceptedOnce(2);
    }

    @Test
    void aConfirmationThatArrivesAfterItsSenderGaveUpIsOne() throws Exception {
        report(direct);
        try (Mark ghost = proxy.next(MySqlProxy.COMMIT, 1, Strike.DELAY)) {
            assertThrows(
                    CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
            assertEquals(OutboxState.SENDING, row().state());
            ghost.release();
            ghost.awaitAnswer();
            assertFoundOrRepeated(true);
        }
    }

    @Test
    void aCommitWhoseAnswerIsLateIsUnconfirmedAfterTheTransactionsTime() throws Exception {
        report(direct);
        try (Mark late = proxy.next(MySqlProxy.COMMIT, 1, Strike.HOLD_REPLY)) {
            assertThrows(
                    CommitUnconfirmedException.class, () -> sender(behindProxy).sendOnce(platform));
            late.awaitAnswer();
        }
        assertFoundOrRepeated(true);
    }
}
