package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyTest {
    private static final String RECEIPT =
            "{ \"task_id\":\"t1\",\"namespace_id\":\"n\",\"queue_id\":\"q\",\"idempotency_key\":\"k\","
                    + "\"deduplicated\":true,\"accepted_at\":\"2026-11-30T08:00:00.000001Z\",\"more\":[1.10,{}] }\n";

    @Test
    void aReceiptIsReadAndKeptAsReceived() {
        SubmitTaskResult receipt = Reply.of("submit", RECEIPT).receipt();
        assertEquals(
                new SubmitTaskResult("t1", "n", "q", "k", true, Instant.parse("2026-11-30T08:00:00.000001Z"), RECEIPT),
                receipt);
    }

    @ParameterizedTest
    @ValueSource(strings = {"task_id", "namespace_id", "queue_id", "idempotency_key", "deduplicated", "accepted_at"})
    void everyFieldMustBeThereWithItsType(String field) {
        for (String value : new String[] {"null", "7", "\"\"", "[]"}) {
            String json = RECEIPT.replaceFirst("\"" + field + "\":(\"[^\"]*\"|true)", "\"" + field + "\":" + value);
            assertFalse(json.equals(RECEIPT));
            unconfirmed(() -> Reply.of("submit", json).receipt(), field);
        }
        String without = RECEIPT.replace("\"" + field + "\"", "\"other\"");
        unconfirmed(() -> Reply.of("submit", without).receipt(), field);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "\"x\"",
                "{",
                "{} {}",
                "{}x",
                "{\"a\":1,\"a\":2}",
                "{'a':1}",
                "{\"a\":NaN}",
                "{\"a\":01}",
            })
    void aBodyThatIsNotOneStrictObjectIsUnconfirmed(String json) {
        unconfirmed(() -> Reply.of("submit", json), "strict JSON object");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e400", "\"\\ud800\""})
    void aReceiptTheTableWouldRefuseIsUnconfirmed(String value) {
        String json = RECEIPT.replace("1.10", value);
        unconfirmed(() -> Reply.of("submit", json).receipt(), "stored");
    }

    @Test
    void aReceiptMayBe100LevelsDeepAndNoMore() {
        String deepest = RECEIPT.replace("1.10", "[".repeat(98) + "]".repeat(98));
        assertEquals("t1", Reply.of("submit", deepest).receipt().taskId());
        String deeper = RECEIPT.replace("1.10", "[".repeat(99) + "]".repeat(99));
        unconfirmed(() -> Reply.of("submit", deeper).receipt(), "stored");
    }

    @ParameterizedTest
    @CsvSource({"t 1", "t\\u0000", "t\u00e4", "t\\n"})
    void taskIdsAreVisibleAscii(String id) {
        unconfirmed(() -> Reply.of("submit", RECEIPT.replace("t1", id)).receipt(), "task_id");
    }

    @Test
    void taskIdsAreAtMost128Long() {
        String longest = "t".repeat(128);
        assertEquals(
                longest,
                Reply.of("submit", RECEIPT.replace("t1", longest)).receipt().taskId());
        unconfirmed(
                () -> Reply.of("submit", RECEIPT.replace("t1", longest + "t")).receipt(), "task_id");
    }

    @Test
    void timesMustBeInstants() {
        unconfirmed(
                () -> Reply.of("submit", RECEIPT.replace("2026-11-30T08:00:00.000001Z", "2026-11-30 08:00"))
                        .receipt(),
                "accepted_at");
    }

    @Test
    void queuesAndTasksAreRead() {
        assertEquals(
                new Queue("q", "n"),
                Reply.of("getQueue", "{\"id\":\"q\",\"namespace_id\":\"n\",\"x\":1}")
                        .queue());
        assertEquals(
                new Task("t1", "n", "q", "queued"),
                Reply.of(
                                "getTask",
                                "{\"task_id\":\"t1\",\"namespace_id\":\"n\",\"queue_id\":\"q\",\"status\":\"queued\"}")
                        .task());
        unconfirmed(() -> Reply.of("getQueue", "{\"id\":\"q\"}").queue(), "namespace_id");
        unconfirmed(
                () -> Reply.of("getTask", "{\"task_id\":\"t1\",\"namespace_id\":\"n\",\"queue_id\":\"q\"}")
                        .task(),
                "status");
    }

    @Test
    void noMessageQuotesTheBody() {
        for (String json : new String[] {"s3cret", "{\"s3cret\":1,\"s3cret\":2}", "{\"a\":s3cret}"}) {
            unconfirmed(() -> Reply.of("submit", json), "strict JSON object");
        }
        unconfirmed(
                () -> Reply.of("submit", RECEIPT.replace("1.10", "{\"s3cret\":1e400}"))
                        .receipt(),
                "stored");
        unconfirmed(
                () -> Reply.of("submit", RECEIPT.replace("2026-11", "s3cret")).receipt(), "accepted_at");
    }

    private static void unconfirmed(Executable call, String hint) {
        TaskPlatformException thrown = assertThrows(TaskPlatformException.class, call);
        assertEquals(Optional.of(ResultCode.UNCONFIRMED), thrown.resultCode());
        assertTrue(thrown.getMessage().contains(hint), thrown.getMessage());
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            assertFalse(t.toString().contains("s3cret"), t.toString());
        }
    }
}
