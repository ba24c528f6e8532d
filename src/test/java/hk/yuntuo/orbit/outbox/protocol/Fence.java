package hk.yuntuo.orbit.outbox.protocol;

/** What keeps the protocol right. Each can be taken out of the model, to see what it is there for. */
enum Fence {
    /** The command is inserted in the business transaction. Out: in a transaction of its own, before. */
    COMMAND_IN_BUSINESS_TRANSACTION,
    /** The primary key refuses a second command. Out: a transaction that runs again inserts another. */
    PRIMARY_KEY,
    /** A caller whose COMMIT got no answer hears just that. Out: it hears "rolled back". */
    UNANSWERED_COMMIT_IS_UNKNOWN,
    /** Statement CLAIM, {@code due_at <= UTC_TIMESTAMP(6)}. Out: {@code due_at IS NOT NULL}; leases are ignored. */
    CLAIM_WAITS_FOR_DUE,
    /** A claim takes rows whose lease is over. Out: PENDING rows only. */
    CLAIM_TAKES_OVER,
    /** A claim asks the rules whether the budget is spent. */
    CLAIM_ASKS_FOR_THE_BUDGET,
    /** Statement LEASE, {@code lease_epoch + 1}. */
    CLAIM_RAISES_THE_EPOCH,
    /** A sender whose claim's COMMIT got no answer does not send. Out: it takes the claim for committed. */
    UNANSWERED_CLAIM_IS_NOT_USED,
    /** No send starts when the time of the lease or until the deadline is over. */
    SEND_ASKS_FOR_THE_TIME,
    /** One submission key for ever. Out: a fresh one for each send. */
    ONE_KEY,
    /** The platform makes one task for a key. */
    PLATFORM_DEDUPLICATES,
    /** The rules compare the receipt's target and key. Out: an adapter fills in what was asked for. */
    RECEIPT_NAMES_ITS_KEY,
    /** Statement SETTLE, {@code state = 'SENDING'}. */
    SETTLE_CHECKS_THE_STATE,
    /** Statement SETTLE, {@code lease_epoch = ?}. */
    SETTLE_CHECKS_THE_EPOCH,
    /** The callback's changes and the acceptance are one transaction. Out: two, the callback's first. */
    CALLBACK_IN_SETTLEMENT,
    /** A settlement whose COMMIT got no answer is not run again. Out: it is taken for rolled back and run again. */
    UNANSWERED_SETTLEMENT_IS_LEFT
}
