package hk.yuntuo.orbit.outbox.internal.store;

/**
 * Every statement of the library. Each says the index it uses, the isolation it is written for and the rows it touches; data is only
 * ever bound. The document and the receipt are bound and read as binary, so that no connection character set can change a byte.
 */
final class Sql {
    /** All columns but the document, in the order {@link Rows#record} reads them. */
    private static final String RECORD_COLUMNS = """
            namespace_id, operation_id, queue_id, submission_key, request_sha256, state, send_count, lease_epoch, due_at,
            send_deadline_at, result_code, task_id, CAST(receipt_json AS BINARY) AS receipt_json, created_at, updated_at, settled_at
            """;

    /** Primary key; the caller's isolation; one new row. Error 1062 means that the operation is there already. */
    static final String INSERT = """
            INSERT INTO sender_outbox
                (namespace_id, operation_id, queue_id, submission_key, request_json, request_sha256, state, send_count,
                 lease_epoch, due_at, send_deadline_at, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, 'PENDING', 0, 0,
                UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 24 HOUR, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
            """;

    /**
     * Primary key; the caller's isolation; one row. FOR SHARE is a current read: the snapshot of REPEATABLE READ can miss the row that
     * made the INSERT fail. FOR UPDATE would deadlock equal enqueuers, which all hold a shared lock from their failed INSERT.
     */
    static final String FIND_DUPLICATE = """
            SELECT queue_id, request_sha256 FROM sender_outbox
            WHERE namespace_id = ? AND operation_id = ?
            FOR SHARE
            """;

    /** Primary key; the caller's isolation; one row, which this transaction has inserted and holds locked. */
    static final String WITHDRAW = """
            DELETE FROM sender_outbox
            WHERE namespace_id = ? AND operation_id = ? AND state = 'PENDING' AND send_count = 0
            """;

    /** Primary key; any isolation; one row, not locked. */
    static final String STATUS = "SELECT " + RECORD_COLUMNS + """
            FROM sender_outbox
            WHERE namespace_id = ? AND operation_id = ? AND queue_id = ?
            """;

    /**
     * Primary key; READ COMMITTED; one row. FOR SHARE waits for a transaction that still holds the row uncommitted, where a plain
     * SELECT would not see it and call it absent.
     */
    static final String RESOLVE = STATUS + "FOR SHARE\n";

    /**
     * ix_sender_due, one range; READ COMMITTED; locks the rows it returns and no others. Settled rows have no due_at, so they cost
     * nothing. A condition on state beside the range would make MySQL sort, and lock hundreds of rows.
     */
    static final String CLAIM =
            "SELECT UTC_TIMESTAMP(6) AS now_utc, CAST(request_json AS BINARY) AS request_json, " + RECORD_COLUMNS + """
            FROM sender_outbox
            WHERE namespace_id = ? AND queue_id = ? AND due_at <= UTC_TIMESTAMP(6)
            ORDER BY due_at
            LIMIT ?
            FOR UPDATE SKIP LOCKED
            """;

    /** Primary key; inside the claim's transaction; one row that the claim holds locked. The instant is the claim's own. */
    static final String LEASE = """
            UPDATE sender_outbox
            SET state = 'SENDING', send_count = send_count + 1, lease_epoch = lease_epoch + 1,
                due_at = ? + INTERVAL 30 SECOND, updated_at = ?
            WHERE namespace_id = ? AND operation_id = ? AND lease_epoch = ?
            """;

    /** Primary key; inside the claim's transaction; one row that the claim holds locked. */
    static final String REVIEW_UNSENT = """
            UPDATE sender_outbox
            SET state = 'REVIEW', result_code = ?, due_at = NULL, updated_at = ?, settled_at = ?
            WHERE namespace_id = ? AND operation_id = ? AND lease_epoch = ?
            """;

    /**
     * Primary key; READ COMMITTED; one row, or none if another claim has followed. The epoch is the fence: a late owner never settles
     * the next owner's work. A retry is due at the send deadline at the latest, where its claim reviews it.
     */
    static final String SETTLE = """
            UPDATE sender_outbox
            SET due_at = IF(? = 'PENDING', LEAST(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, send_deadline_at), NULL),
                settled_at = IF(? = 'PENDING', NULL, UTC_TIMESTAMP(6)),
                state = ?, result_code = ?, task_id = ?, receipt_json = ?, updated_at = UTC_TIMESTAMP(6)
            WHERE namespace_id = ? AND operation_id = ? AND state = 'SENDING' AND lease_epoch = ?
            """;

    /** No table. In autocommit mode MySQL forgets a savepoint at the end of its own statement, and then has none to release. */
    static final String SET_SAVEPOINT = "SAVEPOINT orbit_outbox";

    /** No table. Error 1305 if there is no transaction. */
    static final String RELEASE_SAVEPOINT = "RELEASE SAVEPOINT orbit_outbox";

    /** No table. Read before {@link #BOUND_SESSION} and put back by {@link #RESTORE_SESSION}. */
    static final String READ_SESSION = """
            SELECT @@SESSION.transaction_isolation, @@SESSION.innodb_lock_wait_timeout, @@SESSION.lock_wait_timeout,
                @@SESSION.wait_timeout, @@SESSION.net_read_timeout, @@SESSION.net_write_timeout
            """;

    /**
     * No table. Row locks and metadata locks are waited for briefly, so that MySQL answers before the network time-out cuts the connection
     * and leaves a session behind. Under REPEATABLE READ an open claim blocks enqueues, and claimers deadlock each other. A process that
     * stalls or is cut off in mid-transaction would keep its rows locked for the 8 hours of MySQL's own wait_timeout, or, in the midst of
     * sending or receiving much, for the 30 and 60 s of net_read_timeout and net_write_timeout; so the server rolls back after 10 s of
     * silence, which a live transaction of 5 s never reaches.
     */
    static final String BOUND_SESSION = """
            SET SESSION transaction_isolation = 'READ-COMMITTED', SESSION innodb_lock_wait_timeout = 1, SESSION lock_wait_timeout = 1,
                SESSION wait_timeout = 10, SESSION net_read_timeout = 10, SESSION net_write_timeout = 10
            """;

    /** No table. */
    static final String RESTORE_SESSION = """
            SET SESSION transaction_isolation = ?, SESSION innodb_lock_wait_timeout = ?, SESSION lock_wait_timeout = ?,
                SESSION wait_timeout = ?, SESSION net_read_timeout = ?, SESSION net_write_timeout = ?
            """;

    private Sql() {}
}
