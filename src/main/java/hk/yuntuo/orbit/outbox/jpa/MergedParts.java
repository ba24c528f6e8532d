package hk.yuntuo.orbit.outbox.jpa;

import org.hibernate.Hibernate;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.AssociationType;
import org.hibernate.type.ForeignKeyDirection;
import org.hibernate.type.Type;
import org.jspecify.annotations.Nullable;

/**
 * A merge copies collections and inverse associations only after the callbacks of the copy. A request that reads them would be frozen
 * without them, so the copy borrows them meanwhile from what it is merged from.
 */
final class MergedParts {
    private MergedParts() {}

    static void during(
            SharedSessionContractImplementor session, Object copy, @Nullable Object mergedFrom, Runnable work) {
        Object original = Hibernate.unproxy(mergedFrom);
        if (original == null || original == copy) {
            work.run();
            return;
        }
        EntityPersister persister = session.getEntityPersister(null, copy);
        Type[] types = persister.getPropertyTypes();
        Object[] own = persister.getValues(copy);
        try {
            for (int i = 0; i < types.length; i++) {
                if (isCopiedLate(types[i])) {
                    Object given = persister.getValue(original, i);
                    if (given != null && Hibernate.isInitialized(given)) {
                        persister.setValue(copy, i, given);
                    }
                }
            }
            work.run();
        } finally {
            for (int i = 0; i < types.length; i++) {
                if (isCopiedLate(types[i])) {
                    persister.setValue(copy, i, own[i]);
                    Object given = persister.getValue(original, i);
                    if (given != null && Hibernate.isInitialized(given)) {
                        // A setter may have made the parts point to the copy.
                        persister.setValue(original, i, given);
                    }
                }
            }
        }
    }

    private static boolean isCopiedLate(Type type) {
        return type instanceof AssociationType association
                && association.getForeignKeyDirection() == ForeignKeyDirection.TO_PARENT;
    }
}
