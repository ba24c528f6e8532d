package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.internal.rules.Limits;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import java.util.Objects;

/** What every step must leave true of every operation that it changes. */
enum Invariant {
    A_COMMITTED_OPERATION_AND_NO_OTHER_HAS_ONE_COMMAND {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            return after.commands() == (after.isCommitted() ? 1 : 0);
        }
    },
    NO_TASK_WITHOUT_A_COMMITTED_OPERATION {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            return after.isCommitted() || after.tasks().isEmpty();
        }
    },
    AN_OPERATION_HAS_AT_MOST_ONE_TASK {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            return after.tasks().size() <= 1;
        }
    },
    AN_ACCEPTED_ROW_AND_NO_OTHER_CARRIES_THE_PLATFORMS_TASK {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = after.command();
            if (row == null || row.state() != OutboxState.ACCEPTED) {
                return row == null || row.taskId() == null;
            }
            return after.tasks().size() == 1 && "task-1".equals(row.taskId());
        }
    },
    THE_CALLBACKS_LINK_IS_WRITTEN_ONCE_WITH_ACCEPTED {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = after.command();
            return row == null || row.links() == (row.state() == OutboxState.ACCEPTED ? 1 : 0);
        }
    },
    AN_EPOCH_HAS_ONE_OWNER {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            for (int sender = 1; sender < after.deliveries().size(); sender++) {
                for (int other = 0; other < sender; other++) {
                    if (after.delivery(sender) instanceof Delivery.Claim claim
                            && after.delivery(other) instanceof Delivery.Claim others
                            && claim.epoch() == others.epoch()) {
                        return false;
                    }
                }
            }
            return true;
        }
    },
    COUNT_AND_EPOCH_ARE_THE_COMMITTED_CLAIMS {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = after.command();
            if (row == null || before.command() == null) {
                return true;
            }
            int claims = isLease(step, after) ? 1 : 0;
            return row.sendCount() == before.command().sendCount() + claims
                    && row.leaseEpoch() == before.command().leaseEpoch() + claims
                    && row.sendCount() <= Limits.MAX_CLAIMS;
        }
    },
    A_SPENT_BUDGET_IS_NOT_LEASED {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = before.command();
            return row == null || !isLease(step, after) || row.sendCount() < Limits.MAX_CLAIMS && !row.pastDeadline();
        }
    },
    A_CLAIM_LEAVES_A_RUNNING_LEASE_ALONE {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = before.command();
            boolean claimed = step instanceof Step.Claim && !Objects.equals(row, after.command());
            return !claimed || row == null || row.due();
        }
    },
    ONLY_THE_OWNER_SETTLES {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = before.command();
            if (!(step instanceof Step.Settle settle) || row == null || row.equals(after.command())) {
                return true;
            }
            return before.delivery(settle.sender()) instanceof Delivery.Claim claim
                    && claim.epoch() == row.leaseEpoch();
        }
    },
    AN_OWNERS_RECEIPT_MEETS_NO_OTHERS_WORK {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = before.command();
            if (!(step instanceof Step.Settle settle) || settle.end() != Step.SettleEnd.LEASE_LOST || row == null) {
                return true;
            }
            boolean receipt = before.delivery(settle.sender()) instanceof Delivery.Decided decided
                    && decided.next() == OutboxState.ACCEPTED
                    && decided.epoch() == row.leaseEpoch();
            return !receipt || row.isSettled();
        }
    },
    A_SETTLED_ROW_NEVER_CHANGES {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            Command row = before.command();
            return row == null || !row.isSettled() || row.equals(after.command());
        }
    },
    NOTHING_IS_SENT_UNDER_AN_UNCOMMITTED_EPOCH {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            int latest = after.command() == null ? -1 : after.command().leaseEpoch();
            for (Delivery delivery : after.deliveries()) {
                if (delivery instanceof Delivery.Sent sent && sent.epoch() > latest) {
                    return false;
                }
            }
            return true;
        }
    },
    NO_SEND_STARTS_AFTER_ITS_LEASE_OR_THE_DEADLINE {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            return !(step instanceof Step.Send send)
                    || before.delivery(send.sender()) instanceof Delivery.Claim claim
                            && !before.isPastItsLease(claim)
                            && !before.row().pastDeadline();
        }
    },
    A_CALLER_HEARS_THE_TRUTH {
        @Override
        boolean holds(Operation before, Step step, Operation after) {
            return !(step instanceof Step.CommitBusiness commit)
                    || switch (commit.heard()) {
                        case COMMITTED -> after.isCommitted();
                        case ROLLED_BACK -> !after.isCommitted();
                        case UNKNOWN -> true;
                    };
        }
    };

    abstract boolean holds(Operation before, Step step, Operation after);

    private static boolean isLease(Step step, Operation after) {
        return step instanceof Step.Claim claim
                && claim.commit().isDone()
                && after.command() != null
                && after.command().state() == OutboxState.SENDING;
    }
}
