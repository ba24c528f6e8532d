package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import java.time.Instant;

/**
 * A due row that the claim's transaction holds locked.
 *
 * @param record the row before the claim
 * @param document the stored bytes, owned by this object
 * @param now the database's clock when the row was read
 */
public record DueRow(OutboxRecord record, byte[] document, Instant now) {
    /** Leaves the document out. */
    @Override
    public String toString() {
        return "DueRow[" + record + ", now=" + now + "]";
    }
}
