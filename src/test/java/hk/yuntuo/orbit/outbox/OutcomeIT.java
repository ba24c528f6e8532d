package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import jakarta.persistence.EntityManagerFactory;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rows of the table of outcomes in which the platform says what it thinks, driven through real HTTP. Where it does not, is in
 * {@code HttpFaultsIT}; what it says about credentials, in {@code CredentialFaultsIT}; spent budgets, in {@code BudgetIT}.
 */
class OutcomeIT {
    private static final OrbitScope[] SENDING = {OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT};
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private OrbitSimulator simulator;
    private OrbitCredentials credentials;
    private TaskPlatform platform;
    private OutboxSender sender;
    private String id;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("outcome");
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void oneDueRow() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        simulator = OrbitSimulator.start();
        credentials = simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, SENDING);
        platform = platform(credentials);
        sender = sender();
        id = OutboxRows.enqueue(outbox, 1).get(0);
    }

    @AfterEach
    void stop() {
        simulator.close();
    }

    @Test
    void anAcceptanceIsRecordedWithItsReceipt() {
        OutboxRecord row = send();

        assertEquals(OutboxState.ACCEPTED, row.state());
        assertEquals(ResultCode.ACCEPTED, row.resultCode());
        assertEquals(simulator.tasks().get(0).taskId(), row.taskId());
        assertTrue(row.receiptJson().contains(row.taskId()), row.receiptJson());
        assertEquals(1, row.sendCount());
        assertEquals(1, row.leaseEpoch());
        assertNull(row.dueAt());
        assertEquals(row.updatedAt(), row.settledAt());
        assertEquals(row, outbox.status(id).orElseThrow());
        assertTrue(sender.sendOnce(platform).isEmpty());
        assertEquals(1, simulator.submissions().size());
    }

    static Stream<Arguments> reviewed() {
        return Stream.of(
                Arguments.of(Fault.status(401), ResultCode.AUTHORIZATION),
                Arguments.of(Fault.status(403), ResultCode.AUTHORIZATION),
                Arguments.of(Fault.status(409), ResultCode.IDEMPOTENCY_CONFLICT),
                Arguments.of(Fault.status(400), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(404), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(408), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(413), ResultCode.HTTP_REJECTED),
                Arguments.of(Fault.status(422), ResultCode.HTTP_REJECTED),
                Arguments.of(WrongAnswer.otherNamespace("ns-2"), ResultCode.INVALID_RECEIPT),
                Arguments.of(WrongAnswer.otherQueue("queue-2"), ResultCode.INVALID_RECEIPT),
                Arguments.of(WrongAnswer.otherKey("outbox-task-other"), ResultCode.INVALID_RECEIPT));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource
    void reviewed(Fault fault, ResultCode code) {
        simulator.faults().next(fault);
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(code, row.resultCode());
        assertNull(row.taskId());
        assertNull(row.dueAt());
        assertEquals(code == ResultCode.INVALID_RECEIPT, row.receiptJson() != null);
        assertTrue(sender.sendOnce(platform).isEmpty());
        assertEquals(row, outbox.status(id).orElseThrow());
    }

    @Test
    void theKeyBoundToOtherContentAtThePlatformIsAConflict() throws SQLException {
        send();
        database.update("DELETE FROM sender_outbox");
        outbox.transactions().inTransaction(id, em -> outbox.enqueue(em, id, Requests.of("{\"other\":true}")));

        OutboxRecord row = send();
        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.IDEMPOTENCY_CONFLICT, row.resultCode());
        assertEquals(1, simulator.tasks().size());
    }

    @Test
    void aDocumentThatDoesNotMatchItsDigestIsNeverSent() throws SQLException {
        database.update("UPDATE sender_outbox SET request_json = REPLACE(request_json, '\"n\":0', '\"n\":1')");
        OutboxRecord row = send();

        assertEquals(OutboxState.REVIEW, row.state());
        assertEquals(ResultCode.INVALID_DOCUMENT, row.resultCode());
        assertEquals(0, simulator.submissions().size());
        assertEquals(0, simulator.requests(OrbitCall.GET_QUEUE));
    }

    @Test
    void theQueueCallFailsLikeTheSubmission() throws SQLException {
        for (Object[] cell : List.of(
                new Object[] {Fault.status(500), ResultCode.UNCONFIRMED},
                new Object[] {Fault.retryAfter(429, "3"), ResultCode.BACKPRESSURE},
                new Object[] {Fault.status(403), ResultCode.AUTHORIZATION},
                new Object[] {Fault.status(404), ResultCode.HTTP_REJECTED})) {
            database.update("DELETE FROM sender_outbox");
            id = OutboxRows.enqueue(outbox, 1).get(0);
            simulator.faults().next(OrbitCall.GET_QUEUE, (Fault) cell[0]);
            assertEquals(cell[1], send().resultCode());
        }
        assertEquals(0, simulator.submissions().size());
    }

    @Test
    void theSameBytesAreSentEachTimeUnderTheSameKey() throws SQLException {
        simulator.faults().next(Fault.acceptThenDrop(), Fault.status(500));
        send();
        OutboxRows.makeDue(database, id);
        send();
        OutboxRows.makeDue(database, id);
        assertEquals(OutboxState.ACCEPTED, send().state());

        String stored = database.value("SELECT request_json FROM sender_outbox");
        assertEquals(3, simulator.submissions().size());
        simulator.submissions().forEach(submission -> {
            assertEquals("outbox-task-" + id, submission.submissionKey());
            assertEquals(stored, new String(submission.document(), StandardCharsets.UTF_8));
        });
    }

    private OutboxRecord send() {
        return sender.sendOnce(platform).orElseThrow();
    }

    private OutboxSender sender() {
        return OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
    }

    private TaskPlatform platform(OrbitCredentials credential) {
        return HttpTaskPlatform.builder(simulator.url(), credential).build();
    }
}
