package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.Submission;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is given is what is stored, sent and kept, byte for byte. */
class ExactBytesIT {
    private static final int ONE_MIB = 1_048_576;

    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static OrbitSimulator orbit;
    private static HttpTaskPlatform platform;
    private static Outbox outbox;
    private static OutboxSender sender;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("bytes");
        factory = database.unit();
        orbit = OrbitSimulator.start();
        platform = HttpTaskPlatform.builder(
                        orbit.url(),
                        orbit.issueCredential(
                                Requests.NAMESPACE, Requests.QUEUE, OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT))
                .build();
        outbox = Requests.outbox(factory);
        sender = OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
    }

    @AfterAll
    static void close() {
        orbit.close();
        database.close();
    }

    static Stream<Arguments> payloads() {
        return Stream.of(
                Arguments.of("an integer beyond a double's 53 bits", "9007199254740993"),
                Arguments.of("a decimal with its zero", "[1.10, -0, -0.0, 1E+2, 1e2]"),
                Arguments.of("numbers at a double's edge", "[1e308, -1.7976931348623157e308, 5e-324, 1e-400]"),
                Arguments.of("an integer of 300 digits", "{\"n\":" + "1234567890".repeat(30) + "}"),
                Arguments.of("a fraction of 300 digits", "0." + "1234567890".repeat(30)),
                Arguments.of("emoji, joined and as escapes", "\"😀 👨‍👩‍👧 \\ud83d\\ude00 🏴\\u0000\""),
                Arguments.of("line separators and controls", "\"\u2028\u2029\u0085\u007f\ufeff\ufffd\\u001f\""),
                Arguments.of("quotes and backslashes", "\"' \\\" ` \\\\ \\\\\\\\ \\/ \\b\\f\\n\\r\\t %s ? :x --\""),
                Arguments.of("Chinese, composed and decomposed", "{\"键\":\"值 é e\u0301 ﬁ 𠮷\"}"),
                Arguments.of("white space around everything", " \t\n\r{ \"a\" : [ 1 , 2 ] ,\r\n \"b\":{ } } \n"),
                Arguments.of("keys in their own order", "{\"b\":1,\"a\":2,\"B\":3,\"\":4,\"a \":5}"),
                Arguments.of("99 levels", "[".repeat(99) + "]".repeat(99)),
                Arguments.of("a scalar", "null"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("payloads")
    void aPayloadReachesThePlatformByteForByte(String what, String payload) throws Exception {
        byte[] stored = sendExactly(Requests.of(payload));

        String document = new String(stored, StandardCharsets.UTF_8);
        assertTrue(document.endsWith(",\"payload\":" + payload + "}"), document);
        assertTrue(document.startsWith("{\"document_version\":1,\"queue_id\":\"queue-1\""), document);
    }

    @Test
    void aDocumentOfExactlyOneMebibyteIsSentAndOneByteMoreIsRefused() throws Exception {
        int room = ONE_MIB - sizeWith("\"\"");
        // Of four bytes each, so that the limit is one of bytes and not of characters.
        String text = "😀".repeat(room / 4) + List.of("", "x", "é", "文").get(room % 4);

        assertEquals(ONE_MIB, sendExactly(Requests.of("\"" + text + "\"")).length);
        InvalidInputException e =
                assertThrows(InvalidInputException.class, () -> enqueue(Requests.of("\"" + text + "y\"")));
        assertEquals("request", e.field());
        assertEquals("must be at most 1048576 bytes as a frozen document", e.rule());
    }

    @Test
    void aReceiptIsKeptByteForByte() throws Exception {
        String receipt = " {\n \"task_id\" : \"task-1\" , \"namespace_id\":\"ns-1\",\"queue_id\":\"queue-1\",\r\n"
                + "\"idempotency_key\":\"outbox-task-" + id + "\",\"deduplicated\":false,"
                + "\"accepted_at\":\"2026-11-30T08:00:00+08:00\",\"更多\":[1.10,9007199254740993,1e308,"
                + "\"😀 \\ud83d\\ude00 \\u0000 \u2028 ' \\\\ \\/\"]}\t ";
        byte[] bytes = receipt.getBytes(StandardCharsets.UTF_8);
        enqueue(Requests.of("1"));
        orbit.faults().next(WrongAnswer.body(bytes));

        OutboxRecord accepted = sender.sendOnce(platform).orElseThrow();
        assertEquals(OutboxState.ACCEPTED, accepted.state());
        assertEquals(receipt, accepted.receiptJson());
        assertArrayEquals(bytes, stored("receipt_json"));
    }

    /** Enqueues, sends over HTTP and compares: returns the bytes that are stored, were sent and were accepted. */
    private byte[] sendExactly(SubmitTaskRequest request) throws Exception {
        enqueue(request);
        byte[] stored = stored("request_json");
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(stored));
        assertEquals(digest, outbox.status(id).orElseThrow().requestSha256());

        assertEquals(
                OutboxState.ACCEPTED, sender.sendOnce(platform).orElseThrow().state());
        List<Submission> submissions = orbit.submissions();
        Submission last = submissions.get(submissions.size() - 1);
        assertEquals("outbox-task-" + id, last.submissionKey());
        assertArrayEquals(stored, last.document());
        assertArrayEquals(stored, stored("request_json"));
        return stored;
    }

    private int sizeWith(String payload) throws Exception {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            outbox.enqueue(em, id, Requests.of(payload));
            int size =
                    em.unwrap(Session.class).doReturningWork(connection -> stored(connection, "request_json").length);
            em.getTransaction().rollback();
            return size;
        }
    }

    private void enqueue(SubmitTaskRequest request) {
        EnqueueResult result = outbox.transactions().inTransaction(em -> outbox.enqueue(em, id, request));
        assertEquals(EnqueueResult.INSERTED, result);
    }

    private byte[] stored(String column) throws SQLException {
        try (Connection connection = database.connect()) {
            return stored(connection, column);
        }
    }

    private byte[] stored(Connection connection, String column) throws SQLException {
        String sql = "SELECT CAST(" + column + " AS BINARY) FROM sender_outbox WHERE operation_id = ?";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getBytes(1);
            }
        }
    }
}
