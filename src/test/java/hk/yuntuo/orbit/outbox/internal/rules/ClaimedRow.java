package hk.yuntuo.orbit.outbox.internal.rules;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import java.time.Duration;
import java.time.Instant;

/** A row under its lease, and receipts for it or for another. */
final class ClaimedRow {
    static final String ID = "0123456789abcdef0123456789abcdef";
    static final String KEY = "outbox-task-" + ID;
    static final Instant CREATED = Instant.parse("2026-03-29T02:30:00.123456Z");
    static final Instant DEADLINE = CREATED.plus(Duration.ofHours(24));

    private ClaimedRow() {}

    static SubmitTaskResult receipt(String namespaceId, String queueId, String key) {
        return new SubmitTaskResult(
                "task-1", namespaceId, queueId, key, false, CREATED, "{\"note\":\"secret-of-the-receipt\"}");
    }

    static OutboxRecord claimed(int sendCount, Instant deadline) {
        return new OutboxRecord(
                "ns-1",
                ID,
                "queue-1",
                KEY,
                "0".repeat(64),
                OutboxState.SENDING,
                sendCount,
                sendCount,
                CREATED.plusSeconds(30),
                deadline,
                null,
                null,
                null,
                CREATED,
                CREATED,
                null);
    }
}
