package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.internal.rules.Outcome;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.util.Optional;

/** The way of a row: claim, deliver, settle. The claim and the settlement are transactions; the delivery is outside of any. */
public final class Pipeline {
    private final Claimer claimer;
    private final Deliverer deliverer;
    private final Settler settler;

    public Pipeline(Claimer claimer, Deliverer deliverer, Settler settler) {
        this.claimer = claimer;
        this.deliverer = deliverer;
        this.settler = settler;
    }

    /** Handles one due row; empty if none is due. */
    public Optional<OutboxRecord> once(TaskPlatform platform) {
        Claimer.Batch batch = claimer.claim(1);
        if (!batch.reviewed().isEmpty()) {
            return Optional.of(batch.reviewed().get(0));
        }
        return batch.claims().stream().findFirst().map(claim -> complete(claim, platform));
    }

    Claimer.Batch claim(int limit) {
        return claimer.claim(limit);
    }

    private OutboxRecord complete(Claim claim, TaskPlatform platform) {
        return settle(claim, deliver(claim, platform));
    }

    Outcome deliver(Claim claim, TaskPlatform platform) {
        return deliverer.deliver(claim, platform);
    }

    OutboxRecord settle(Claim claim, Outcome outcome) {
        return settler.settle(claim.record(), outcome);
    }
}
