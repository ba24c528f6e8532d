package hk.yuntuo.orbit.outbox.internal.unit;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/**
 * The outboxes that the entities of a persistence unit are enqueued with, by queue. It lives from the building of the unit to its end.
 * Thread-safe.
 */
public final class UnitOutboxes {
    private static final Map<String, UnitOutboxes> OPEN = new ConcurrentHashMap<>();

    private final Map<String, QueueOutbox> byQueue = new ConcurrentHashMap<>();
    private final Set<Class<?>> sources = ConcurrentHashMap.newKeySet();

    private final UnitDefaults defaults;

    private UnitOutboxes(UnitDefaults defaults) {
        this.defaults = defaults;
    }

    public static UnitOutboxes open(SessionFactoryImplementor factory, UnitDefaults defaults) {
        return OPEN.computeIfAbsent(factory.getUuid(), uuid -> new UnitOutboxes(defaults));
    }

    /** The standard ones for a unit that Hibernate built without asking this library. */
    public static UnitDefaults defaultsOf(SessionFactoryImplementor factory) {
        UnitOutboxes unit = OPEN.get(factory.getUuid());
        return unit == null ? UnitDefaults.STANDARD : unit.defaults;
    }

    public static void close(SessionFactoryImplementor factory) {
        OPEN.remove(factory.getUuid());
    }

    /** @throws IllegalStateException if Hibernate built the unit without asking this library */
    public static UnitOutboxes of(SessionFactoryImplementor factory) {
        UnitOutboxes unit = OPEN.get(factory.getUuid());
        if (unit == null) {
            throw new IllegalStateException("This persistence unit was built without OutboxIntegrator, or is closed."
                    + " Hibernate finds it by META-INF/services/org.hibernate.integrator.spi.Integrator.");
        }
        return unit;
    }

    /** Notes a mapped class whose INSERTs this unit looks at. */
    public void watches(Class<?> source) {
        sources.add(source);
    }

    /** Whether some open unit looks at the INSERTs of the class. */
    public static boolean isWatched(Class<?> source) {
        return OPEN.values().stream()
                .anyMatch(unit -> unit.sources.stream().anyMatch(known -> known.isAssignableFrom(source)));
    }

    /** @throws IllegalStateException if the unit's outbox of this queue has another namespace */
    public void bind(QueueOutbox outbox) {
        byQueue.merge(outbox.queueId(), outbox, (bound, given) -> {
            if (!bound.namespaceId().equals(given.namespaceId())) {
                throw new IllegalStateException("Queue \"" + given.queueId() + "\" of this persistence unit belongs to"
                        + " namespace \"" + bound.namespaceId() + "\" already, not \"" + given.namespaceId()
                        + "\": a request names its queue only. Use another queue id, or another unit.");
            }
            return given;
        });
    }

    public @Nullable QueueOutbox serving(String queueId) {
        return byQueue.get(queueId);
    }

    public Set<String> queueIds() {
        return new TreeSet<>(byQueue.keySet());
    }
}
