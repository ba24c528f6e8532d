package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.internal.rules.TimeBudget;
import hk.yuntuo.orbit.outbox.internal.store.Deadline;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import java.time.Duration;
import java.time.Instant;

/**
 * A row under our lease.
 *
 * @param record the row as leased: SENDING, with our epoch
 * @param document the stored bytes, owned by this object
 * @param now the database's clock at the claim
 * @param sinceBefore started before the claim read the database's clock
 */
record Claim(OutboxRecord record, byte[] document, Instant now, Deadline sinceBefore) {
    /** What the next exchange may take; zero or negative if nothing may be sent any more. */
    Duration exchangeTime() {
        return TimeBudget.exchange(sinceBefore.elapsed(), Duration.between(now, record.sendDeadlineAt()));
    }

    @Override
    public String toString() {
        return "Claim[" + record + "]";
    }
}
