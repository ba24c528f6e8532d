package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.LeaseLostException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.task.TaskPlatformException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The confirmation: fenced by the epoch, one with the callback. Callbacks that fail are in {@code CallbackFaultsIT}. */
class SettleIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;
    private String id;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("settle");
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void oneDueRowWithItsBusinessRow() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
        id = OutboxRows.enqueue(outbox, 1).get(0);
        database.update("INSERT INTO business_job VALUES ('" + id + "', '" + id + "', NULL)");
    }

    @Test
    void theCallbackIsStoredWithTheAcceptance() throws SQLException {
        List<OutboxRecord> seen = new ArrayList<>();
        OutboxSender sender = sender((em, record, receipt) -> {
            seen.add(record);
            em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
        });

        OutboxRecord row = sender.sendOnce(StubPlatform.accepting()).orElseThrow();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(row.taskId(), taskOfJob());
        assertEquals(1, seen.size());
        assertEquals(OutboxState.SENDING, seen.get(0).state());
        assertEquals(1, seen.get(0).leaseEpoch());
        assertEquals(row.dueAt(), null);
        assertNotNull(seen.get(0).dueAt());
    }

    @Test
    void aLeasedRowIsWhatTheDatabaseHolds() {
        List<OutboxRecord> stored = new ArrayList<>();
        List<OutboxRecord> given = new ArrayList<>();
        StubPlatform platform = new StubPlatform(command -> {
            stored.add(outbox.status(id).orElseThrow());
            return StubPlatform.receipt(command);
        });
        sender((em, record, receipt) -> given.add(record)).sendOnce(platform);

        assertEquals(stored, given);
        assertEquals(
                Duration.ofSeconds(30),
                Duration.between(stored.get(0).updatedAt(), stored.get(0).dueAt()));
    }

    @Test
    void settleWithOldEpochChangesNothingAndRunsNoCallback() throws SQLException {
        AtomicInteger callbacks = new AtomicInteger();
        OnAccepted counting = (em, record, receipt) -> callbacks.incrementAndGet();
        StubPlatform overtaken = new StubPlatform(command -> {
            expireLease();
            sender(null).sendOnce(failing());
            return StubPlatform.receipt(command);
        });
        LeaseLostException e =
                assertThrows(LeaseLostException.class, () -> sender(counting).sendOnce(overtaken));

        assertEquals(id, e.operationId().orElseThrow());
        assertEquals(0, callbacks.get());
        OutboxRecord row = outbox.status(id).orElseThrow();
        assertEquals(OutboxState.PENDING, row.state());
        assertEquals(2, row.leaseEpoch());
        assertEquals(ResultCode.UNCONFIRMED, row.resultCode());
    }

    @Test
    void settleOfTheNextOwnersRowChangesNothing() throws SQLException {
        for (String taken : List.of(
                "lease_epoch = lease_epoch + 1, send_count = send_count + 1",
                "state = 'PENDING'",
                "state = 'REVIEW', result_code = 'HTTP_REJECTED', due_at = NULL, settled_at = UTC_TIMESTAMP(6)")) {
            AtomicInteger callbacks = new AtomicInteger();
            StubPlatform overtaken = new StubPlatform(command -> {
                update("UPDATE sender_outbox SET " + taken);
                return StubPlatform.receipt(command);
            });
            OutboxSender sender = sender((em, record, receipt) -> callbacks.incrementAndGet());
            assertThrows(LeaseLostException.class, () -> sender.sendOnce(overtaken), taken);
            assertEquals(0, callbacks.get());
            assertEquals("null", database.value("SELECT task_id FROM sender_outbox"));
            if (!taken.contains("REVIEW")) {
                OutboxRows.makeDue(database, id);
            }
        }
    }

    @Test
    void settleOfARowThatIsSettledByTheNextOwnerChangesNothing() {
        List<OutboxRecord> during = new ArrayList<>();
        StubPlatform second = new StubPlatform(command -> {
            during.add(outbox.status(id).orElseThrow());
            return StubPlatform.receipt(command);
        });
        StubPlatform overtaken = new StubPlatform(command -> {
            expireLease();
            assertEquals(
                    OutboxState.ACCEPTED,
                    sender(null).sendOnce(second).orElseThrow().state());
            return StubPlatform.receipt(command, "another-task", "{}");
        });
        assertThrows(LeaseLostException.class, () -> sender(null).sendOnce(overtaken));
        assertEquals(2, during.get(0).leaseEpoch());
        assertEquals(
                "task-of-outbox-task-" + id, outbox.status(id).orElseThrow().taskId());
    }

    @Test
    void anExpiredLeaseThatNobodyTookOverStillRecordsItsReceipt() {
        StubPlatform late = new StubPlatform(command -> {
            expireLease();
            return StubPlatform.receipt(command);
        });
        OutboxRecord row = sender(SettleIT::link).sendOnce(late).orElseThrow();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(1, row.leaseEpoch());
    }

    @Test
    void anAdapterThatBreaksOrAnswersWhatCannotBeStoredIsUnconfirmed() throws SQLException {
        List<StubPlatform> platforms = List.of(
                new StubPlatform(command -> {
                    throw new IllegalStateException("bug");
                }),
                new StubPlatform(command -> {
                    throw new StackOverflowError();
                }),
                new StubPlatform(command -> sneakily(new IOException("undeclared"))),
                new StubPlatform(command -> sneakily(new Throwable("neither an exception nor an error"))),
                new StubPlatform(command -> null),
                new StubPlatform(command -> StubPlatform.receipt(command, "t".repeat(129), "{}")),
                new StubPlatform(command -> StubPlatform.receipt(command, " ", "{}")),
                new StubPlatform(command -> StubPlatform.receipt(command, "\ud800", "{}")),
                new StubPlatform(command -> StubPlatform.receipt(command, "t", "[" + "1,".repeat(2_500_000) + "1]")),
                new StubPlatform(command -> StubPlatform.receipt(command, "t", "{")),
                new StubPlatform(command -> StubPlatform.receipt(command, "t", "{\"n\":1e400}")));
        for (StubPlatform platform : platforms) {
            OutboxRecord row = sender(null).sendOnce(platform).orElseThrow();
            assertEquals(OutboxState.PENDING, row.state());
            assertEquals(ResultCode.UNCONFIRMED, row.resultCode());
            OutboxRows.makeDue(database, id);
        }
    }

    /** As an adapter in a language without checked exceptions throws them. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> SubmitTaskResult sneakily(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private void expireLease() {
        update("UPDATE sender_outbox SET due_at = UTC_TIMESTAMP(6)");
    }

    private static void update(String sql) {
        try {
            database.update(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static TaskPlatform failing() {
        return new StubPlatform(command -> {
            throw TaskPlatformException.unconfirmed("down", null);
        });
    }

    private static void link(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) {
        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
    }

    private String taskOfJob() throws SQLException {
        return database.value("SELECT task_id FROM business_job WHERE operation_id = '" + id + "'");
    }

    private static OutboxSender sender(OnAccepted callback) {
        OutboxSender.Builder builder =
                OutboxSender.builder(factory).namespaceId(Requests.NAMESPACE).queueId(Requests.QUEUE);
        return callback == null ? builder.build() : builder.onAccepted(callback).build();
    }
}
