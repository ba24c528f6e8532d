package hk.yuntuo.orbit.outbox.spi;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import jakarta.persistence.EntityManager;

/**
 * The application's code to run with an acceptance, in the same transaction: either both the outbox row becomes ACCEPTED and this
 * code's changes are stored, or neither. Typically it writes the task id into the business row.
 *
 * <p>It must be idempotent, since a confirmation whose COMMIT was lost is confirmed again; use only the given EntityManager, on this
 * database; call no remote service; send no DDL and no transaction statement, which would commit half of it (direct ones are refused, those of stored
 * procedures are not seen);
 * lock business rows only, as the outbox row is locked already, except that it may enqueue further commands with {@code Outbox.enqueue}; and end in time: the whole
 * transaction has 5 seconds. It runs on a sender's thread, several at once for different operations.
 */
@FunctionalInterface
public interface OnAccepted {
    /**
     * Records the acceptance in the business rows.
     *
     * @param em an EntityManager inside the transaction at READ COMMITTED, with an empty persistence context; it is flushed afterwards.
     *     It refuses getTransaction, joinTransaction and close
     * @param record the row as it was claimed (SENDING); in the database it is locked, and ACCEPTED in this transaction only
     * @param receipt the platform's receipt, which names this row's namespace, queue and key; the task id is in here
     * @throws Exception to refuse: the whole confirmation is rolled back, and tried again after the lease. Each failure costs one of the
     *     row's 100 claims, so a callback that fails for ever ends an accepted task's row in REVIEW
     */
    void accepted(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) throws Exception;
}
