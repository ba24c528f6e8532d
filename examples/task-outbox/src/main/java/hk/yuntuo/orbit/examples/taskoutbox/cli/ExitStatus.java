package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.util.Locale;

/** How a command ended: the process's exit code, and the word after {@code error=}. Both are stable. */
enum ExitStatus {
    OK(0, "done"),
    FAILURE(1, "anything without a code of its own"),
    INVALID_INPUT(2, "an argument or a setting breaks a rule; nothing was done"),
    CONFLICT(3, "the operation exists with other content; nothing was changed"),
    NOT_FOUND(4, "there is no such operation in this namespace and queue"),
    COMMIT_UNCONFIRMED(5, "COMMIT got no answer: look the operation up, or run the same command again"),
    STORAGE(6, "the database failed or refused"),
    RETRY(7, "rolled back for the locks of others: run the same command again"),
    REVIEW(8, "the operation stopped in REVIEW: a person must look"),
    PLATFORM(9, "the platform did not answer a call as it should"),
    SCHEMA_EXISTS(10, "the tables are there already; nothing was changed"),
    SHUTDOWN_TIMEOUT(11, "deliveries in flight outlived the stop; their rows are safe under their leases"),
    TIME_LIMIT(12, "the command ran out of its time");

    private final int code;
    private final String meaning;

    ExitStatus(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    int code() {
        return code;
    }

    String meaning() {
        return meaning;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
