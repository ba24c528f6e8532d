package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.LeaseLostException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxException;
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
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.Session;
import org.hibernate.engine.spi.SessionImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The confirmation: fenced by the epoch, one with the callback, all or nothing. */
class SettleIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;
    private String id;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("settle");
        database.update("CREATE PROCEDURE roll_back() ROLLBACK");
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
    void aFailingCallbackRollsTheWholeConfirmationBackAndTheReceiptIsRecordedLater() throws SQLException {
        OutboxSender failing = sender((em, record, receipt) -> {
            em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
            em.flush();
            throw new IllegalStateException("business says no");
        });
        AcceptanceException e =
                assertThrows(AcceptanceException.class, () -> failing.sendOnce(StubPlatform.accepting()));
        assertEquals(id, e.operationId().orElseThrow());
        assertEquals("business says no", e.getCause().getMessage());
        assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
        assertEquals("null", taskOfJob());

        OutboxRows.makeDue(database, id);
        OutboxRecord row =
                sender(SettleIT::link).sendOnce(StubPlatform.accepting()).orElseThrow();
        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(2, row.leaseEpoch());
        assertEquals(row.taskId(), taskOfJob());
    }

    @Test
    void aFlushThatFailsAndASwallowedErrorRollTheConfirmationBack() throws SQLException {
        database.update("INSERT INTO business_job VALUES ('other', 'taken', NULL)");
        OutboxSender failingFlush = sender((em, record, receipt) ->
                em.find(BusinessJob.class, record.operationId()).note("taken"));
        assertThrows(AcceptanceException.class, () -> failingFlush.sendOnce(StubPlatform.accepting()));
        assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());

        OutboxRows.makeDue(database, id);
        OutboxSender swallowing = sender((em, record, receipt) -> {
            em.find(BusinessJob.class, record.operationId()).note("taken");
            assertThrows(PersistenceException.class, em::flush);
        });
        assertThrows(AcceptanceException.class, () -> swallowing.sendOnce(StubPlatform.accepting()));
        assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
    }

    @Test
    void anErrorThatTheCallbackSwallowsRollsTheConfirmationBack() throws SQLException {
        OutboxSender swallowing = sender((em, record, receipt) -> {
            link(em, record, receipt);
            assertThrows(
                    PersistenceException.class,
                    () -> em.createNativeQuery("SELECT 1 FROM no_such").getResultList());
        });
        assertThrows(AcceptanceException.class, () -> swallowing.sendOnce(StubPlatform.accepting()));
        assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
        assertEquals("null", taskOfJob());
    }

    @Test
    void theCallbackCannotEndTheTransaction() throws SQLException {
        List<Throwable> refused = new ArrayList<>();
        OutboxSender sender = sender((em, record, receipt) -> {
            refused.add(assertThrows(IllegalStateException.class, em::getTransaction));
            refused.add(assertThrows(IllegalStateException.class, em::close));
            refused.add(assertThrows(IllegalStateException.class, em::joinTransaction));
            Session session = em.unwrap(Session.class);
            refused.add(assertThrows(IllegalStateException.class, session::beginTransaction));
            refused.add(assertThrows(IllegalStateException.class, () -> em.unwrap(SessionImplementor.class)));
            refused.add(assertThrows(IllegalStateException.class, ((Session) em.getDelegate())::close));
            refused.add(assertThrows(IllegalStateException.class, session::sessionWithOptions));
            refused.add(assertThrows(IllegalStateException.class, () -> session.inTransaction(t -> {})));
            session.doWork(c -> {
                c.rollback(c.setSavepoint());
                try (Statement statement = c.createStatement()) {
                    refused.add(assertThrows(
                            IllegalStateException.class,
                            () -> statement
                                    .executeQuery("SELECT 1")
                                    .getStatement()
                                    .getConnection()
                                    .commit()));
                    refused.add(assertThrows(IllegalStateException.class, statement.getConnection()::commit));
                }
                refused.add(assertThrows(
                        IllegalStateException.class, c.getMetaData().getConnection()::rollback));
            });
            session.doWork(c -> refused.add(assertThrows(IllegalStateException.class, c::commit)));
            session.doWork(c -> refused.add(assertThrows(IllegalStateException.class, c::rollback)));
            session.doReturningWork(
                    c -> refused.add(assertThrows(IllegalStateException.class, () -> c.setAutoCommit(true))));
            em.runWithConnection((Connection c) -> refused.add(assertThrows(IllegalStateException.class, c::commit)));
            em.callWithConnection((Connection c) -> refused.add(assertThrows(IllegalStateException.class, c::close)));
            link(em, record, receipt);
        });
        assertEquals(
                OutboxState.ACCEPTED,
                sender.sendOnce(StubPlatform.accepting()).orElseThrow().state());
        assertEquals(16, refused.size());
        assertTrue(taskOfJob().startsWith("task-of-"));
    }

    @Test
    void aRollbackBySqlInTheCallbackIsNoticed() {
        OutboxSender sender = sender((em, record, receipt) ->
                em.createNativeQuery("CALL roll_back()").executeUpdate());
        assertThrows(AcceptanceException.class, () -> sender.sendOnce(StubPlatform.accepting()));
        assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "  commit and chain",
                "/* now */ START TRANSACTION",
                "-- now\nBEGIN",
                "TRUNCATE TABLE business_job",
                "CREATE TABLE t (a INT)",
                "SET @@session.autocommit = 1"
            })
    void sqlThatWouldEndTheTransactionIsRefused(String sql) throws SQLException {
        List<OnAccepted> ways = List.of(
                (em, record, receipt) -> em.createNativeQuery(sql).executeUpdate(),
                (em, record, receipt) -> em.unwrap(Session.class).doWork(c -> TestDatabase.execute(c, sql)),
                (em, record, receipt) -> em.unwrap(Session.class)
                        .doWork(c -> c.prepareStatement(sql).execute()));
        for (OnAccepted way : ways) {
            OutboxSender sender = sender((em, record, receipt) -> {
                link(em, record, receipt);
                way.accepted(em, record, receipt);
            });
            assertThrows(AcceptanceException.class, () -> sender.sendOnce(StubPlatform.accepting()));
            assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
            assertEquals("null", taskOfJob());
            OutboxRows.makeDue(database, id);
        }
    }

    @Test
    void theCallbackMayEnqueueAFollowUp() throws SQLException {
        String next = OperationId.next().value();
        OutboxSender failing = sender((em, record, receipt) -> {
            outbox.enqueue(em, next, Requests.of("\"next\""));
            throw new IllegalStateException("no");
        });
        assertThrows(AcceptanceException.class, () -> failing.sendOnce(StubPlatform.accepting()));
        assertTrue(outbox.status(next).isEmpty());

        OutboxRows.makeDue(database, id);
        OutboxSender chaining = sender((em, record, receipt) -> outbox.enqueue(em, next, Requests.of("\"next\"")));
        assertEquals(
                OutboxState.ACCEPTED,
                chaining.sendOnce(StubPlatform.accepting()).orElseThrow().state());
        assertEquals(OutboxState.PENDING, outbox.status(next).orElseThrow().state());
    }

    @Test
    void jdbcWorkOfTheCallbackIsWithinTheTransactionsTimeToo() {
        OutboxSender slow =
                sender((em, record, receipt) -> em.unwrap(Session.class).doWork(c -> {
                    for (int i = 0; i < 3; i++) {
                        TestDatabase.rows(c, "SELECT SLEEP(2.5)");
                    }
                }));
        long start = System.nanoTime();
        assertThrows(OutboxException.class, () -> slow.sendOnce(StubPlatform.accepting()));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(Duration.ofMillis(5_800)) < 0, took.toString());
        assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
    }

    @Test
    void waitingForAConnectionDoesNotEatTheTimeToSend() throws Exception {
        HikariDataSource pool = database.pool("", 1);
        OutboxSender waiting = OutboxSender.builder(database.unit(pool, Map.of()))
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
        StubPlatform platform = StubPlatform.accepting();
        CompletableFuture<OutboxRecord> sent;
        try (Connection held = pool.getConnection()) {
            sent = CompletableFuture.supplyAsync(
                    () -> waiting.sendOnce(platform).orElseThrow());
            assertThrows(TimeoutException.class, () -> sent.get(7, TimeUnit.SECONDS));
            assertTrue(held.isValid(1));
        }
        assertEquals(OutboxState.ACCEPTED, sent.get(10, TimeUnit.SECONDS).state());
        assertTrue(
                platform.timeouts().get(0).compareTo(Duration.ofSeconds(9)) > 0,
                platform.timeouts().toString());
    }

    @Test
    void theCallbackSeesTheWholeEntityManager() {
        OutboxSender sender = sender((em, record, receipt) -> {
            assertEquals(
                    1L,
                    em.createQuery("select count(j) from BusinessJob j where j.taskId is null", Long.class)
                            .getSingleResult());
            assertEquals(
                    1,
                    em.createQuery("update BusinessJob j set j.taskId = :t where j.operationId = :id")
                            .setParameter("t", receipt.taskId())
                            .setParameter("id", record.operationId())
                            .executeUpdate());
            assertTrue(em.isOpen());
            assertEquals(em.unwrap(Session.class), em.unwrap(EntityManager.class));
        });
        assertEquals(
                OutboxState.ACCEPTED,
                sender.sendOnce(StubPlatform.accepting()).orElseThrow().state());
    }

    @Test
    void aCallbackThatTakesTooLongIsRolledBack() throws SQLException {
        OutboxSender slow = sender((em, record, receipt) -> {
            link(em, record, receipt);
            em.createNativeQuery("SELECT SLEEP(20)", Integer.class).getSingleResult();
        });
        long start = System.nanoTime();
        assertThrows(AcceptanceException.class, () -> slow.sendOnce(StubPlatform.accepting()));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(Duration.ofMillis(5_800)) < 0, took.toString());
        assertEquals(OutboxState.SENDING, outbox.status(id).orElseThrow().state());
        assertEquals("null", taskOfJob());
    }

    @Test
    void aCallbackThatMeetsALockIsSimplyRunAgain() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        Connection holder = database.connect();
        holder.setAutoCommit(false);
        TestDatabase.execute(holder, "UPDATE business_job SET note = 'held'");
        OutboxSender sender = sender((em, record, receipt) -> {
            if (runs.incrementAndGet() == 2) {
                holder.rollback();
            }
            link(em, record, receipt);
            em.flush();
        });
        assertEquals(
                OutboxState.ACCEPTED,
                sender.sendOnce(StubPlatform.accepting()).orElseThrow().state());
        assertEquals(2, runs.get());
        holder.close();
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

    @Test
    void aSharedLockOnTheRowDelaysButDoesNotLoseTheReceipt() throws SQLException {
        Connection duplicate = database.connect();
        duplicate.setAutoCommit(false);
        AtomicInteger settles = new AtomicInteger();
        StubPlatform platform = new StubPlatform(command -> {
            try {
                TestDatabase.rows(duplicate, "SELECT 1 FROM sender_outbox FOR SHARE");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return StubPlatform.receipt(command);
        });
        Thread release = new Thread(() -> {
            try {
                awaitLockWait();
                settles.incrementAndGet();
                duplicate.rollback();
                duplicate.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        release.start();
        assertInstanceOf(OutboxRecord.class, sender(null).sendOnce(platform).orElseThrow());
        assertEquals(1, settles.get());
        assertEquals(OutboxState.ACCEPTED, outbox.status(id).orElseThrow().state());
    }

    private static void awaitLockWait() throws SQLException {
        long end = System.nanoTime() + 10_000_000_000L;
        while (database.rows("SELECT 1 FROM performance_schema.data_locks WHERE lock_status = 'WAITING'"
                        + " AND object_schema = '" + database.schemaName() + "'")
                .isEmpty()) {
            assertTrue(System.nanoTime() < end);
        }
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
