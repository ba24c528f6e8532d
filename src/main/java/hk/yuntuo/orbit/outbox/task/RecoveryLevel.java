package hk.yuntuo.orbit.outbox.task;

/** What the platform does with a task whose worker was lost while it ran. */
public enum RecoveryLevel {
    /** It is run again by itself; its work must bear being done twice. The default. */
    RERUN,
    /** It stops until a person has looked. */
    MANUAL
}
