package hk.yuntuo.orbit.outbox.internal.freeze;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/**
 * Documents of version 1, pinned for ever: rows with such bytes and digests are stored at users' sites, and a repeated enqueue must
 * give them again. If a test here fails, the change that made it fail is wrong, or it needs a {@code document_version} of its own.
 */
class PinnedDocumentTest {
    private static final RequestFreezer FREEZER = new RequestFreezer(RequestFreezer.DEFAULT_MAX_DOCUMENT_BYTES);

    @Test
    void aRequestOfDefaultsFreezesToThesePinnedBytes() {
        FrozenRequest frozen = FREEZER.freeze(Requests.least().build());
        assertEquals(
                "{\"document_version\":1,\"queue_id\":\"outbox\",\"handler\":\"object.prepare\",\"handler_version\":\"v1\","
                        + "\"payload_version\":\"v1\",\"task_timeout_ms\":3600000,\"recovery_level\":\"RERUN\","
                        + "\"attempt_policy\":{\"max_attempts\":3,\"first_backoff_ms\":1000,\"max_backoff_ms\":60000},"
                        + "\"payload\":{}}",
                Requests.text(frozen));
        assertEquals("d0067ca498d16f23063fee2836523f7f260cc76ff2bf4884ac589312e994940b", frozen.sha256());
        assertEquals("outbox", frozen.queueId());
    }

    @Test
    void aRequestWithEveryFieldFreezesToThesePinnedBytes() {
        FrozenRequest frozen = FREEZER.freeze(Requests.full().build());
        assertEquals(
                "{\"document_version\":1,\"queue_id\":\"outbox:eu-1\",\"handler\":\"object.prepare\",\"handler_version\":\"v1\","
                        + "\"payload_version\":\"2026-11\",\"business_key\":\"\u8ba2\u5355 \\\"7\\\" \\\\ \ud83d\ude00\","
                        + "\"task_timeout_ms\":60000,\"available_at\":\"2026-11-30T08:00:00.000001Z\","
                        + "\"start_deadline_at\":\"2026-12-01T08:00:00.000000Z\",\"recovery_level\":\"MANUAL\","
                        + "\"attempt_policy\":{\"max_attempts\":1,\"first_backoff_ms\":1,\"max_backoff_ms\":86400000},"
                        + "\"payload\": {\"n\": 9007199254740993,\n\t\"d\":1.10, \"s\":\"\\u00e9\u00e9\\/\"} }",
                Requests.text(frozen));
        assertEquals("1732202873b7879decd41dbebc546dd6d64b2a46f558f099f189e2f9ac009bc2", frozen.sha256());
        assertEquals("outbox:eu-1", frozen.queueId());
    }
}
