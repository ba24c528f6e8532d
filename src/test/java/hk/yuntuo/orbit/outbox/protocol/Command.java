package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import org.jspecify.annotations.Nullable;

/**
 * A committed row of {@code sender_outbox}, reduced to what decides, and the business rows that its callback has written.
 *
 * @param due PENDING: due; SENDING: the lease is over
 * @param pastDeadline the send deadline has passed; not followed any further once the row is settled
 * @param links how often the callback's changes were committed
 */
record Command(
        OutboxState state,
        int sendCount,
        int leaseEpoch,
        boolean due,
        boolean pastDeadline,
        @Nullable String taskId,
        int links) {

    static Command enqueued(int claimsBefore) {
        return new Command(OutboxState.PENDING, claimsBefore, claimsBefore, true, false, null, 0);
    }

    boolean isSettled() {
        return state == OutboxState.ACCEPTED || state == OutboxState.REVIEW;
    }

    /** Statement LEASE. */
    Command leased(boolean raiseEpoch) {
        int epoch = raiseEpoch ? leaseEpoch + 1 : leaseEpoch;
        return new Command(OutboxState.SENDING, sendCount + 1, epoch, false, pastDeadline, null, links);
    }

    /** Statement REVIEW_UNSENT: the epoch stays as it is. */
    Command reviewedUnsent() {
        return new Command(OutboxState.REVIEW, sendCount, leaseEpoch, false, false, taskId, links);
    }

    /** Statement SETTLE: a retry is due at the deadline at the latest, and a settled row has no due time. */
    Command settled(Delivery.Decided decision) {
        boolean retry = decision.next() == OutboxState.PENDING;
        return new Command(
                decision.next(),
                sendCount,
                leaseEpoch,
                retry && pastDeadline,
                retry && pastDeadline,
                decision.taskId(),
                links);
    }

    /** The callback's changes. Two are as wrong as more. */
    Command linked() {
        return new Command(state, sendCount, leaseEpoch, due, pastDeadline, taskId, Math.min(links + 1, 2));
    }

    Command dueNow() {
        return new Command(state, sendCount, leaseEpoch, true, pastDeadline, taskId, links);
    }

    Command deadlinePassed() {
        return new Command(state, sendCount, leaseEpoch, due || state == OutboxState.PENDING, true, taskId, links);
    }

    @Override
    public String toString() {
        String time = switch (state) {
            case PENDING -> due ? ", due" : ", not yet due";
            case SENDING -> due ? ", lease over" : ", lease running";
            case ACCEPTED -> ", " + taskId + ", linked " + links + "x";
            case REVIEW -> "";
        };
        return state + " claims=" + sendCount + " epoch=" + leaseEpoch + time + (pastDeadline ? ", past deadline" : "");
    }
}
