package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The connection is lost at a statement before the COMMIT: whether or not the server has carried it out, nothing of its transaction stays. */
class LostStatementIT extends LossAtTheWire {
    static Stream<Arguments> aBusinessStatementThatIsLostLeavesNothing() {
        return Stream.of("INSERT INTO sender_outbox", "insert into business_job")
                .flatMap(sql -> Stream.of(Strike.CUT_BEFORE, Strike.CUT_WITHIN, Strike.SWALLOW_REPLY)
                        .map(strike -> Arguments.of(sql, strike)));
    }

    @ParameterizedTest
    @MethodSource
    void aBusinessStatementThatIsLostLeavesNothing(String sql, Strike strike) throws SQLException {
        proxy.next(MySqlProxy.containing(sql), strike);
        RuntimeException e = assertThrows(RuntimeException.class, () -> report(behindProxy));
        assertTrue(!(e instanceof CommitUnconfirmedException), e.toString());

        assertTrue(fresh().resolve(id).isEmpty());
        assertRows(0);
        assertEquals(EnqueueResult.INSERTED, report(behindProxy));
        assertRows(1);
    }

    @ParameterizedTest
    @MethodSource("strikesAtClaims")
    void aClaimThatLosesItsConnectionBeforeItsCommitTakesNothing(String sql, Strike strike) throws SQLException {
        report(direct);
        proxy.next(MySqlProxy.containing(sql), strike);
        assertThrows(OutboxStorageException.class, () -> sender(behindProxy).sendOnce(platform));

        assertEquals(List.of(), platform.keys());
        awaitUnlocked();
        sender(direct).sendOnce(platform);
        assertAcceptedOnce(1);
    }

    static Stream<Arguments> strikesAtClaims() {
        return Stream.of("SKIP LOCKED", "SET state = 'SENDING'")
                .flatMap(sql -> Stream.of(Strike.CUT_BEFORE, Strike.CUT_WITHIN, Strike.SWALLOW_REPLY)
                        .map(strike -> Arguments.of(sql, strike)));
    }

    @ParameterizedTest
    @MethodSource("strikesAtSettlements")
    void aConfirmationThatLosesItsConnectionBeforeItsCommitIsRepeated(String sql, Strike strike) throws SQLException {
        report(direct);
        proxy.next(MySqlProxy.containing(sql), strike);
        RuntimeException e =
                assertThrows(RuntimeException.class, () -> sender(behindProxy).sendOnce(platform));
        assertTrue(!(e instanceof CommitUnconfirmedException), e.toString());

        assertEquals(OutboxState.SENDING, row().state());
        assertFoundOrRepeated(false);
    }

    static Stream<Arguments> strikesAtSettlements() {
        return Stream.of("SET due_at = IF(", "update business_job")
                .flatMap(sql -> Stream.of(Strike.CUT_BEFORE, Strike.CUT_WITHIN, Strike.SWALLOW_REPLY)
                        .map(strike -> Arguments.of(sql, strike)));
    }

    @Test
    void statementsPreparedOnTheServerAreStruckToo() throws Exception {
        EntityManagerFactory prepared = database.unit(
                database.poolThrough(proxy.port(), "useServerPrepStmts=true&cachePrepStmts=true"), Map.of());
        report(direct);
        proxy.next(MySqlProxy.containing("SET due_at = IF("), Strike.SWALLOW_REPLY);
        assertThrows(RuntimeException.class, () -> sender(prepared).sendOnce(platform));
        assertEquals(OutboxState.SENDING, row().state());
        assertFoundOrRepeated(false);
    }
}
