package hk.yuntuo.orbit.outbox.internal.unit;

import hk.yuntuo.orbit.outbox.internal.freeze.RequestFreezer;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;

/** What an outbox of a unit has unless it is given its own. */
public record UnitDefaults(int maxDocumentBytes, LockOrderGuard guard) {
    public static final UnitDefaults STANDARD =
            new UnitDefaults(RequestFreezer.DEFAULT_MAX_DOCUMENT_BYTES, LockOrderGuard.WARN);
}
