package hk.yuntuo.orbit.outbox.support.proxy;

/** What {@link MySqlProxy} does to one command. */
public enum Strike {
    /** The command never reaches the server; both sides are cut. */
    CUT_BEFORE,
    /** Half of the command's bytes reach the server; then both sides are cut. */
    CUT_WITHIN,
    /** The server carries the command out and answers; nobody hears of it: its answer is thrown away, and both sides are cut. */
    SWALLOW_REPLY,
    /** The command is kept from the server until its mark is released; if the client goes meanwhile, it never arrives. */
    HOLD_COMMAND,
    /** The server carries the command out; its answer is kept from the client until the mark is released. */
    HOLD_REPLY,
    /** As {@link #HOLD_COMMAND}, but on its release the command reaches the server though the client may have gone: a ghost. */
    DELAY
}
