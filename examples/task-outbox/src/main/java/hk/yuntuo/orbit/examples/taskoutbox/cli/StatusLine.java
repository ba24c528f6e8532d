package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import org.jspecify.annotations.Nullable;

/** The line that {@code status} and {@code demo} print of an operation. */
final class StatusLine {
    private StatusLine() {}

    static String of(OutboxRecord record) {
        return "operation=" + record.operationId()
                + " state=" + record.state()
                + " sends=" + record.sendCount()
                + " code=" + orDash(record.resultCode())
                + " task=" + orDash(record.taskId());
    }

    private static String orDash(@Nullable Object value) {
        return value == null ? "-" : value.toString();
    }
}
