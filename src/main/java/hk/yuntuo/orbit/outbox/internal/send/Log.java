package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** The sender's events. Names are stable; values are ids, states, codes and numbers, never tokens, documents or receipts. */
final class Log {
    private Log() {}

    static void settled(Logger log, OutboxRecord row) {
        log.atLevel(row.state() == OutboxState.REVIEW ? Level.ERROR : Level.DEBUG)
                .log(
                        "outbox.settled operation={} state={} code={} sends={} epoch={} task={}",
                        row.operationId(),
                        row.state(),
                        row.resultCode(),
                        row.sendCount(),
                        row.leaseEpoch(),
                        row.taskId());
    }
}
