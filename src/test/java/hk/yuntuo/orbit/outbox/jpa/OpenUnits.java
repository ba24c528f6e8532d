package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.internal.unit.UnitOutboxes;
import java.lang.reflect.Field;
import java.util.Map;

/** What the library holds of units and transactions, beside them: a class loader cannot end before it is empty. */
final class OpenUnits {
    private OpenUnits() {}

    static int count() throws ReflectiveOperationException {
        return size(UnitOutboxes.class);
    }

    static int journals() throws ReflectiveOperationException {
        return size(TransactionJournal.class);
    }

    private static int size(Class<?> holder) throws ReflectiveOperationException {
        Field open = holder.getDeclaredField("OPEN");
        open.setAccessible(true);
        return ((Map<?, ?>) open.get(null)).size();
    }
}
