package hk.yuntuo.orbit.outbox.internal.rules;

import java.time.Duration;

/** The fixed limits of sending; docs/states.md lists them. */
public final class Limits {
    /** A row is claimed at most this often. */
    public static final int MAX_CLAIMS = 100;
    /** Rows of one claim: what its transaction has time for on a slow network too, since each is a statement. */
    public static final int CLAIM_ROWS = 64;
    /** How long a claim holds a row. The statement that leases says the same 30 seconds. */
    public static final Duration LEASE = Duration.ofSeconds(30);
    /** The network phase of a delivery, from before its claim. */
    public static final Duration NETWORK_PHASE = Duration.ofSeconds(15);
    /** One exchange with the platform. */
    public static final Duration EXCHANGE = Duration.ofSeconds(10);
    /** One transaction of the sender. */
    public static final Duration TRANSACTION = Duration.ofSeconds(5);
    /** The greatest wait between two sends of a row, whatever the platform asks for. */
    public static final Duration MAX_WAIT = Duration.ofHours(1);
    /** The greatest step of the exponential back-off. */
    public static final Duration MAX_BACKOFF = Duration.ofSeconds(60);
    /** Jitter is below this many milliseconds. */
    public static final int JITTER_MILLIS = 1_000;

    private Limits() {}
}
