package hk.yuntuo.orbit.outbox.internal.journal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.AbstractCollectionEvent;
import org.hibernate.event.spi.AbstractDatabaseOperationEvent;
import org.jspecify.annotations.Nullable;

/** The session of an event. The return type of its getter changed in Hibernate 7.2, so a direct call binds to one version only. */
public final class EventSessions {
    private static final MethodHandle GET_SESSION = getter();

    private EventSessions() {}

    /** Null for the events of a StatelessSession before Hibernate 7.2. */
    public static @Nullable SharedSessionContractImplementor of(AbstractDatabaseOperationEvent event) {
        try {
            return (SharedSessionContractImplementor) GET_SESSION.invokeExact(event);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Null for a StatelessSession, whose collection events cannot name it. */
    public static @Nullable SharedSessionContractImplementor of(AbstractCollectionEvent event) {
        try {
            return event.getSession();
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static MethodHandle getter() {
        try {
            return MethodHandles.publicLookup()
                    .unreflect(AbstractDatabaseOperationEvent.class.getMethod("getSession"))
                    .asType(MethodType.methodType(
                            SharedSessionContractImplementor.class, AbstractDatabaseOperationEvent.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
