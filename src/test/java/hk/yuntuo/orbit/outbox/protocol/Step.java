package hk.yuntuo.orbit.outbox.protocol;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.util.List;
import java.util.stream.Collectors;

/** One atomic step, by its actor. Operations are A, B ...; senders S1, S2 ... */
sealed interface Step {
    /** Whether it comes sooner or later whatever the callers and the platform do: time passes, a sender goes on. */
    default boolean isSure() {
        return false;
    }

    /** What became of a COMMIT. */
    enum Commit {
        ANSWERED("COMMIT answered"),
        LOST_BUT_DONE("COMMIT took effect, its answer is lost"),
        LOST_AND_UNDONE("COMMIT lost, rolled back");

        private final String text;

        Commit(String text) {
            this.text = text;
        }

        boolean isDone() {
            return this != LOST_AND_UNDONE;
        }
    }

    /** What a caller hears of its business transaction. */
    enum Heard {
        COMMITTED,
        ROLLED_BACK,
        UNKNOWN
    }

    /** How a settlement's transaction ended. */
    enum SettleEnd {
        ANSWERED("COMMIT answered"),
        LOST_BUT_DONE("COMMIT took effect, its answer is lost"),
        LOST_AND_UNDONE("COMMIT lost, rolled back"),
        CALLBACK_FAILED("the callback fails, rolled back"),
        LEASE_LOST("no row changed, lease lost");

        private final String text;

        SettleEnd(String text) {
            this.text = text;
        }
    }

    /** A business transaction inserts the command and its own rows. */
    record Begin(int operation) implements Step {
        @Override
        public String toString() {
            return "the business transaction of " + name(operation) + " inserts its rows";
        }
    }

    /** It rolls back. */
    record RollBack(int operation) implements Step {
        @Override
        public String toString() {
            return "the business transaction of " + name(operation) + " rolls back";
        }
    }

    /** It commits. */
    record CommitBusiness(int operation, Commit commit, Heard heard) implements Step {
        @Override
        public String toString() {
            return "the business transaction of " + name(operation) + ": " + commit.text + "; the caller hears "
                    + heard;
        }
    }

    /** It is run again, from the start, after it had committed. */
    record RunAgain(int operation) implements Step {
        @Override
        public String toString() {
            return "the business transaction of " + name(operation) + " is run again with the same id";
        }
    }

    /** The due time of a PENDING row, or the end of the lease of a SENDING one. */
    record Due(int operation) implements Step {
        @Override
        public boolean isSure() {
            return true;
        }

        @Override
        public String toString() {
            return "the back-off or the lease of " + name(operation) + " ends";
        }
    }

    /** 24 hours have passed. */
    record DeadlinePasses(int operation) implements Step {
        @Override
        public String toString() {
            return "the send deadline of " + name(operation) + " passes";
        }
    }

    /** A claim, one transaction for one or more rows. */
    record Claim(int sender, List<Integer> operations, Commit commit) implements Step {
        @Override
        public boolean isSure() {
            return commit == Commit.ANSWERED;
        }

        @Override
        public String toString() {
            String rows = operations.stream().map(Step::name).collect(Collectors.joining(" and "));
            return who(sender) + " claims " + rows + "; " + commit.text;
        }
    }

    /** The request leaves. */
    record Send(int sender, int operation) implements Step {
        @Override
        public String toString() {
            return who(sender) + " sends " + name(operation);
        }
    }

    /** The delivery ends before the request leaves. */
    record NotSent(int sender, int operation, ResultCode code) implements Step {
        @Override
        public boolean isSure() {
            return code == ResultCode.UNCONFIRMED;
        }

        @Override
        public String toString() {
            return who(sender) + " does not send " + name(operation) + ": " + code;
        }
    }

    /** The platform takes the request; its answer is under way. */
    record Take(int sender, int operation) implements Step {
        @Override
        public String toString() {
            return "the platform takes " + name(operation) + " from " + who(sender);
        }
    }

    /** The platform takes a request whose sender has died or stopped waiting. */
    record TakeStray(int operation, int epoch) implements Step {
        @Override
        public String toString() {
            return "the platform takes the late request for " + name(operation) + " of epoch " + epoch;
        }
    }

    /** The platform answers with an error and has taken nothing. */
    record Refuse(int sender, int operation, ResultCode code) implements Step {
        @Override
        public String toString() {
            return "the platform answers " + who(sender) + " for " + name(operation) + ": " + code;
        }
    }

    /** No answer in time, or one that cannot be read. The request may have been taken, or may still arrive. */
    record LoseAnswer(int sender, int operation) implements Step {
        @Override
        public boolean isSure() {
            return true;
        }

        @Override
        public String toString() {
            return who(sender) + " gets no answer for " + name(operation) + ": UNCONFIRMED";
        }
    }

    /** The receipt arrives, for this command or for another. */
    record Receive(int sender, int operation, boolean anothers) implements Step {
        @Override
        public String toString() {
            return who(sender) + " gets " + (anothers ? "a receipt for another key" : "the receipt") + " for "
                    + name(operation);
        }
    }

    /** The settlement's transaction. */
    record Settle(int sender, int operation, SettleEnd end) implements Step {
        @Override
        public boolean isSure() {
            return end == SettleEnd.ANSWERED || end == SettleEnd.LEASE_LOST;
        }

        @Override
        public String toString() {
            return who(sender) + " settles " + name(operation) + "; " + end.text;
        }
    }

    /** The sender's process dies and starts anew, with an empty memory. */
    record Crash(int sender) implements Step {
        @Override
        public String toString() {
            return who(sender) + " crashes and starts anew";
        }
    }

    private static String name(int operation) {
        return String.valueOf((char) ('A' + operation));
    }

    private static String who(int sender) {
        return "S" + (sender + 1);
    }
}
