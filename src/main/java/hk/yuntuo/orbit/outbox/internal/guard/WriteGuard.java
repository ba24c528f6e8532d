package hk.yuntuo.orbit.outbox.internal.guard;

import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.model.LockOrderException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches the business writes of a unit, and judges an enqueue by them. Thread-safe. */
public final class WriteGuard {
    private static final Logger LOG = LoggerFactory.getLogger(WriteGuard.class);

    private final LockOrderGuard mode;

    /** A guard of a unit. Only the first that is not OFF begins to watch. */
    public WriteGuard(SessionFactoryImplementor factory, LockOrderGuard mode) {
        this.mode = mode;
        if (mode != LockOrderGuard.OFF) {
            StatementWatch.of(factory).begin(factory);
        }
    }

    /** @throws LockOrderException in FAIL, before any SQL */
    public void beforeEnqueue(SharedSessionContractImplementor session, String operationId) {
        if (mode == LockOrderGuard.OFF) {
            return;
        }
        TransactionJournal journal = TransactionJournal.existing(session);
        if (journal == null || journal.firstWrite().isEmpty()) {
            return;
        }
        String write = journal.firstWrite().get();
        if (mode == LockOrderGuard.FAIL) {
            throw new LockOrderException(
                    "Operation " + operationId
                            + " was not enqueued: this transaction had done business work before it: "
                            + write + ". The order of locks is outbox first; enqueue before writing or locking business"
                            + " rows.",
                    operationId);
        }
        if (journal.mayWarn()) {
            LOG.warn(
                    "outbox.order operation={} is enqueued after business work of its transaction: {}. Enqueue or"
                            + " persist it first: the order of locks is outbox first, and the other can deadlock with a sender.",
                    operationId,
                    write);
        }
    }
}
