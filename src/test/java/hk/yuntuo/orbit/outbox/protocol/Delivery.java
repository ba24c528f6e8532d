package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.model.OutboxState;
import org.jspecify.annotations.Nullable;

/** What a sender has in its memory of one operation. A crash, and a COMMIT without an answer, leave {@link Nothing}. */
sealed interface Delivery {
    /** It has no claim on the row that it knows of. */
    record Nothing() implements Delivery {
        @Override
        public String toString() {
            return "idle";
        }
    }

    /** It works on the row, as claimed under an epoch. */
    sealed interface Claim extends Delivery {
        int epoch();

        int sendCount();
    }

    /** Claimed, nothing sent yet. */
    record Claimed(int epoch, int sendCount) implements Claim {
        @Override
        public String toString() {
            return "claimed@" + epoch;
        }
    }

    /** The request is under way. */
    record Sent(int epoch, int sendCount) implements Claim {
        @Override
        public String toString() {
            return "sent@" + epoch;
        }
    }

    /** The platform has taken the request, and its answer is under way. */
    record Taken(int epoch, int sendCount, String taskId) implements Claim {
        @Override
        public String toString() {
            return "taken@" + epoch;
        }
    }

    /** The rules have said what to write; the settlement is next. */
    record Decided(
            int epoch,
            int sendCount,
            OutboxState next,
            @Nullable String taskId) implements Claim {
        @Override
        public String toString() {
            return "to write " + next + "@" + epoch;
        }
    }

    Delivery NOTHING = new Nothing();
}
