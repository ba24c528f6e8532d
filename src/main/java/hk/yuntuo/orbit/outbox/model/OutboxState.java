package hk.yuntuo.orbit.outbox.model;

/** The four states of a row in {@code sender_outbox}. A row only moves along the drawing in {@code docs/states.md}. */
public enum OutboxState {
    /** Waiting for its next send. An earlier send may have been accepted without our learning of it. */
    PENDING,
    /** Claimed by a sender under a lease of 30 s. When the lease ends unsettled, any sender may take the row over. */
    SENDING,
    /** The platform accepted the task and its receipt is stored. It says nothing about the execution of the task. Final. */
    ACCEPTED,
    /** Sending has stopped and a person must look. Nothing leaves this state by itself. Final. */
    REVIEW
}
