package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A business unit and a sender behind a proxy at which connections are lost, and others beside it who find the truth. */
abstract class LossAtTheWire {
    static TestDatabase database;
    static MySqlProxy proxy;
    static EntityManagerFactory behindProxy;
    static EntityManagerFactory direct;

    final String id = OperationId.next().value();
    final StubPlatform platform = StubPlatform.accepting();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("lost");
        proxy = database.newProxy();
        behindProxy = database.unit(database.poolThrough(proxy.port()), Map.of());
        direct = database.unit();
    }

    @AfterAll
    static void close() {
        database.close();
        proxy.close();
    }

    @BeforeEach
    void noRows() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
    }

    @AfterEach
    void everyStrikeIsUsedUp() {
        assertEquals(0, proxy.disarm());
    }

    /** The server may not have noticed yet that a client has gone; until then claims skip what that client locked. */
    static void awaitUnlocked() throws SQLException {
        database.rows("SELECT operation_id FROM sender_outbox FOR UPDATE");
    }

    /** A next sender repeats what was not stored, under the same key, and finds nothing to do where it was. */
    void assertFoundOrRepeated(boolean committed) throws SQLException {
        OutboxSender next = sender(direct);
        assertTrue(next.sendOnce(platform).isEmpty(), "settled, or still leased");
        if (!committed) {
            OutboxRows.makeDue(database, id);
            next.sendOnce(platform);
        }
        assertAcceptedOnce(committed ? 1 : 2);
    }

    void assertAcceptedOnce(int claims) throws SQLException {
        OutboxRecord row = row();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(claims, row.sendCount());
        assertEquals(claims, row.leaseEpoch());
        assertEquals(row.taskId(), database.value("SELECT task_id FROM business_job"));
        assertEquals(
                List.of(row.submissionKey()),
                platform.keys().stream().distinct().toList());
    }

    void assertRows(int count) throws SQLException {
        assertEquals(Integer.toString(count), database.value("SELECT COUNT(*) FROM sender_outbox"));
        assertEquals(Integer.toString(count), database.value("SELECT COUNT(*) FROM business_job"));
    }

    static boolean committed(Strike strike) {
        return strike == Strike.SWALLOW_REPLY;
    }

    EnqueueResult report(EntityManagerFactory unit) {
        Outbox outbox = Requests.outbox(unit);
        return outbox.transactions().inTransaction(id, em -> {
            EnqueueResult result = outbox.enqueue(em, id, Requests.of("1"));
            if (result == EnqueueResult.INSERTED) {
                em.persist(new BusinessJob(id, id));
            }
            return result;
        });
    }

    OutboxRecord row() {
        return fresh().status(id).orElseThrow();
    }

    static Outbox fresh() {
        return Requests.outbox(direct);
    }

    static OutboxSender sender(EntityManagerFactory unit) {
        return OutboxSender.builder(unit)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted((em, record, receipt) ->
                        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId()))
                .build();
    }
}
