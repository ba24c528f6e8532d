package hk.yuntuo.orbit.outbox.internal.freeze;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A frozen document keeps its bytes and its digest in a column like {@code request_json}. */
class RequestFreezerIT {
    private static final String DOUBLE_LIMIT =
            "{\"max\":1.7976931348623157e308,\"min\":4.9e-324,\"zero\":0e308,\"big\":9007199254740993}";

    @Test
    void mySqlKeepsEveryByteOfADocument() throws SQLException {
        RequestFreezer freezer = new RequestFreezer(RequestFreezer.GREATEST_MAX_DOCUMENT_BYTES);
        List<String> payloads = List.of(
                "[".repeat(99) + "]".repeat(99),
                "{\"a\":".repeat(99) + "1" + "}".repeat(99),
                DOUBLE_LIMIT,
                " [ 1.10 ,\t-0.0e-0 ]\r\n",
                "\"\\u0000\\ud83d\\ude00\u007f\u0080\u00ad\u0301\u2028\ufeff\ufffe\uffff\ud83d\ude00\udbff\udfff\"",
                "\"" + "\u4e2d".repeat(1_000_000) + "\"");
        try (TestSchema schema = MySqlServer.find().createSchema("freeze");
                Connection connection = schema.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE documents (id INT PRIMARY KEY, document MEDIUMTEXT CHECK (JSON_VALID(document)))");
            for (int id = 0; id < payloads.size(); id++) {
                FrozenRequest frozen = freezer.freeze(request(payloads.get(id)));
                insert(connection, id, frozen.bytes());
                assertKept(connection, id, frozen);
            }
        }
    }

    private static SubmitTaskRequest request(String payload) {
        return SubmitTaskRequest.builder()
                .queueId("queue")
                .handler("handler")
                .handlerVersion("1")
                .payloadVersion("1")
                .businessKey("\"\\ \u00e9\u4e2d\ud83d\ude00\u200b\ufeff\uffff")
                .payload(payload)
                .build();
    }

    private static void insert(Connection connection, int id, byte[] document) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO documents VALUES (?, ?)")) {
            insert.setInt(1, id);
            insert.setBytes(2, document);
            assertEquals(1, insert.executeUpdate());
        }
    }

    private static void assertKept(Connection connection, int id, FrozenRequest frozen) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT document, SHA2(document, 256) FROM documents WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet row = select.executeQuery()) {
                assertTrue(row.next());
                assertArrayEquals(frozen.bytes(), row.getBytes(1));
                assertEquals(frozen.sha256(), row.getString(2));
            }
        }
    }
}
