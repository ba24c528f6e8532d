package hk.yuntuo.orbit.outbox.testing;

/** What the platform did with a submission, whatever it answered. */
public enum SubmissionOutcome {
    /** Nothing: a fault came first, or it is still waiting. */
    NOT_HANDLED,
    /** It created a task. */
    ACCEPTED,
    /** The key had created the task before, with the same bytes. */
    DEDUPLICATED,
    /** The key had created a task before, with other bytes. */
    CONFLICT,
    /** It was refused for its credential, its key or its document. */
    REFUSED
}
