package hk.yuntuo.orbit.outbox.model;

/** The stable code of the last outcome of a row, as stored in {@code result_code}. */
public enum ResultCode {
    /** The platform accepted the task and the receipt names our namespace, queue and key. */
    ACCEPTED,
    /** No trustworthy answer: network failure, time-out, 5xx, an unreadable success. Sent again under the same key. */
    UNCONFIRMED,
    /** The platform asked for patience (429, or 503 with Retry-After). Sent again under the same key. */
    BACKPRESSURE,
    /** The credential was refused (401, 403). */
    AUTHORIZATION,
    /** The key is already bound to other content at the platform (409). */
    IDEMPOTENCY_CONFLICT,
    /** The platform rejected the request with another 4xx. An earlier, unanswered send may still have been accepted. */
    HTTP_REJECTED,
    /** The receipt names another namespace, queue or key; it is kept as evidence. */
    INVALID_RECEIPT,
    /** The stored bytes do not match their digest; they were not sent. */
    INVALID_DOCUMENT,
    /** The credential belongs to another namespace or the queue is another one; nothing was sent. */
    TARGET_MISMATCH,
    /** The 100th claim ended without an answer. */
    SEND_BUDGET_EXHAUSTED,
    /** 24 hours passed since the row was enqueued. */
    SEND_DEADLINE
}
