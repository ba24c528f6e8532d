package hk.yuntuo.orbit.outbox.model;

/** What an enqueue did within the caller's transaction. Neither says that the transaction committed. */
public enum EnqueueResult {
    /** The command was written. */
    INSERTED,
    /** The same command (same queue, same bytes) was there already, from this transaction or an earlier one. */
    DUPLICATE
}
