package hk.yuntuo.orbit.outbox.model;

/**
 * What an outbox does about a transaction that enqueues <em>after</em> it has written or locked business rows. The order of locks is
 * outbox first: a sender's confirmation follows it, and a transaction in the other order can deadlock with a confirmation, which costs
 * a retry and never correctness.
 *
 * <p>The guard sees what Hibernate does in the enqueueing session: flushed inserts, updates and deletes, element collections, bulk JPQL,
 * native DML, and reads that lock ({@code FOR UPDATE}, {@code FOR SHARE}). It does not see plain JDBC, what a stored procedure does, bulk
 * statements and locking reads of a {@code StatelessSession} or of a session with a statement inspector of its own, or a locking
 * {@code findMultiple} or find by natural id that is the first work of its session. The row of an entity whose own command was enqueued
 * before it does not count, and neither do statements that name {@code sender_outbox}.
 */
public enum LockOrderGuard {
    /** Nothing is watched, and nothing is paid. */
    OFF,
    /** The first such enqueue of a transaction is logged at WARN; the default. */
    WARN,
    /** Such an enqueue is refused with a {@link LockOrderException}, before any SQL. */
    FAIL
}
