package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskCommand;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.task.TaskPlatformException;
import jakarta.persistence.EntityManagerFactory;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One life of a few commands, under each setting of the driver that could change a row count, a byte or a statement. */
class DriverOptionsIT {
    private static final String PAYLOAD =
            "{\"文\":\"引号\\\" 反斜杠\\\\ ' `; -- é ÿ € 😀 \u2028 \\u0000 \\n\",\"n\":[9007199254740993,1.10]}";
    private static final String RECEIPT = "{\"受理\":\"é \\\\ ' \\\" 😀\", \"n\":1.10}";
    private static final int MANY = 12;

    private static final List<String> ANSWERS = List.of(
            "INSERTED",
            "INSERTED, then DUPLICATE",
            "DUPLICATE",
            "OutboxConflictException",
            "PENDING UNCONFIRMED sends=1 epoch=1 null null",
            "Optional.empty",
            "ACCEPTED ACCEPTED sends=2 epoch=2 task-1 " + RECEIPT,
            "task-1",
            "DUPLICATE",
            "AcceptanceException, SENDING null sends=1 epoch=1 null null",
            "LeaseLostException, SENDING null sends=1 epoch=2 null null",
            "REVIEW INVALID_RECEIPT sends=1 epoch=1 null " + RECEIPT,
            "REVIEW SEND_BUDGET_EXHAUSTED sends=100 epoch=0 null null",
            "12 ACCEPTED");

    private static TestDatabase database;

    private final List<String> answers = new ArrayList<>();
    private final SubmitTaskRequest request = Requests.of(PAYLOAD);
    private Outbox outbox;
    private OutboxSender sender;
    private boolean callbackFails;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("options");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "useAffectedRows=true",
                "rewriteBatchedStatements=true",
                "rewriteBatchedStatements=true&useAffectedRows=true&allowMultiQueries=true",
                "useServerPrepStmts=true",
                "useServerPrepStmts=true&cachePrepStmts=true&rewriteBatchedStatements=true&useAffectedRows=true",
                "useCursorFetch=true&defaultFetchSize=1",
                "characterEncoding=ISO-8859-1",
                "characterSetResults=latin1",
                "characterEncoding=ISO-8859-1&characterSetResults=latin1&useServerPrepStmts=true",
                "connectionCollation=utf8mb4_general_ci",
                "connectionCollation=latin1_swedish_ci&useServerPrepStmts=true",
                "characterEncoding=GBK&useServerPrepStmts=true",
                "sessionVariables=sql_mode='NO_BACKSLASH_ESCAPES'&characterEncoding=ISO-8859-1",
                "sessionVariables=sql_mode='ANSI'",
                "sessionVariables=sql_mode=''&jdbcCompliantTruncation=false",
                "sessionVariables=transaction_isolation='SERIALIZABLE'",
                "useLocalSessionState=true&useLocalTransactionState=true",
                "elideSetAutoCommits=true&alwaysSendSetIsolation=false"
            })
    void everyAnswerIsTheSame(String options) throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
        bindTo(database.unit(options, Map.of()));

        enqueueAndAccept();
        failInEachWay();
        spendABudget();
        sendMany();

        assertEquals(ANSWERS, answers);
    }

    private void enqueueAndAccept() throws SQLException {
        String id = OperationId.next().value();
        answers.add(commit(id, request));
        String twice = OperationId.next().value();
        answers.add(outbox.transactions()
                .inTransaction(
                        em -> outbox.enqueue(em, twice, request) + ", then " + outbox.enqueue(em, twice, request)));
        database.update("DELETE FROM sender_outbox WHERE operation_id = '" + twice + "'");
        answers.add(commit(id, request));
        answers.add(error(() -> commit(id, Requests.of("2"))));
        assertStoredExactly(id);

        answers.add(send(command -> {
            throw TaskPlatformException.unconfirmed("silence", null);
        }));
        answers.add(String.valueOf(sender.sendOnce(StubPlatform.accepting())));
        OutboxRows.makeDue(database, id);
        answers.add(send(command -> {
            assertTrue(new String(command.document(), StandardCharsets.UTF_8).endsWith(":" + PAYLOAD + "}"));
        }));
        answers.add(database.value("SELECT task_id FROM business_job WHERE operation_id = '" + id + "'"));
        assertEquals(hex(RECEIPT), database.value("SELECT LOWER(HEX(receipt_json)) FROM sender_outbox"));
        answers.add(commit(id, request));
    }

    private void failInEachWay() throws SQLException {
        String refused = enqueued();
        callbackFails = true;
        answers.add(error(() -> send(command -> {})) + ", " + text(outbox.status(refused)));
        callbackFails = false;

        String lost = enqueued();
        String failure = error(() -> send(command -> update("lease_epoch = lease_epoch + 1", lost)));
        answers.add(failure + ", " + text(outbox.status(lost)));

        enqueued();
        SubmitTaskCommand other = new SubmitTaskCommand("outbox-task-other", new byte[0]);
        answers.add(text(sender.sendOnce(new StubPlatform(command -> StubPlatform.receipt(other, "task-1", RECEIPT)))));
    }

    private void spendABudget() {
        update("send_count = 100", enqueued());
        answers.add(text(sender.sendOnce(StubPlatform.accepting())));
    }

    /** Many rows in one claim, so that their leases are one batch. */
    private void sendMany() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        OutboxRows.enqueue(outbox, MANY);
        AtomicInteger submitted = new AtomicInteger();
        StubPlatform platform = new StubPlatform(command -> {
            if (submitted.incrementAndGet() == MANY) {
                sender.stop();
            }
            return StubPlatform.receipt(command);
        });
        sender.run(
                platform,
                RunOptions.builder()
                        .concurrency(MANY)
                        .pollInterval(Duration.ofMillis(10))
                        .build());
        answers.add(database.value("SELECT CONCAT(COUNT(*), ' ', state) FROM sender_outbox"
                + " WHERE send_count = 1 AND lease_epoch = 1 GROUP BY state"));
    }

    private void bindTo(EntityManagerFactory factory) {
        outbox = Requests.outbox(factory);
        sender = OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted((em, row, receipt) -> {
                    if (callbackFails) {
                        throw new IllegalStateException("refused");
                    }
                    BusinessJob job = em.find(BusinessJob.class, row.operationId());
                    if (job != null) {
                        job.taskId(receipt.taskId());
                    }
                })
                .build();
    }

    private String enqueued() {
        String id = OperationId.next().value();
        commit(id, request);
        return id;
    }

    private String commit(String id, SubmitTaskRequest request) {
        return outbox.transactions().inTransaction(id, em -> {
            EnqueueResult result = outbox.enqueue(em, id, request);
            if (result == EnqueueResult.INSERTED) {
                em.persist(new BusinessJob(id, id));
            }
            return result.name();
        });
    }

    /** Delivers one row to a platform that looks at the command and accepts it. */
    private String send(Consumer<SubmitTaskCommand> look) {
        return text(sender.sendOnce(new StubPlatform(command -> {
            look.accept(command);
            return StubPlatform.receipt(command, "task-1", RECEIPT);
        })));
    }

    private static void assertStoredExactly(String id) throws SQLException {
        String stored =
                database.value("SELECT LOWER(HEX(request_json)) FROM sender_outbox WHERE operation_id = '" + id + "'");
        assertTrue(stored.endsWith(hex("\"payload\":" + PAYLOAD + "}")), "other bytes are stored");
    }

    private static String text(Optional<OutboxRecord> found) {
        OutboxRecord row = found.orElseThrow();
        return row.state() + " " + row.resultCode() + " sends=" + row.sendCount() + " epoch=" + row.leaseEpoch() + " "
                + row.taskId() + " " + row.receiptJson();
    }

    private static String error(Supplier<String> action) {
        return assertThrows(OutboxException.class, action::get).getClass().getSimpleName();
    }

    private static void update(String assignment, String id) {
        try {
            database.update("UPDATE sender_outbox SET " + assignment + " WHERE operation_id = '" + id + "'");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
