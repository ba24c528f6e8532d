package hk.yuntuo.orbit.outbox.jpa;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.hibernate.Hibernate;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.MergeContext;
import org.hibernate.event.spi.MergeEvent;
import org.hibernate.event.spi.MergeEventListener;
import org.hibernate.event.spi.PersistContext;
import org.hibernate.event.spi.PersistEvent;
import org.hibernate.event.spi.PersistEventListener;
import org.jspecify.annotations.Nullable;

/**
 * The session a JPA callback runs in, which JPA does not tell it. The listeners of persist and merge are wrapped to put it at hand; they
 * put back what was there before, because one left behind would be taken for the next call's.
 */
final class SessionAtHand {
    private static final ThreadLocal<@Nullable Step> CURRENT = new ThreadLocal<>();

    private SessionAtHand() {}

    static @Nullable SharedSessionContractImplementor current() {
        Step step = CURRENT.get();
        return step == null ? null : step.session;
    }

    /** The session that persists the entity; null if it is not this step's, but that of a StatelessSession used within it. */
    static @Nullable SharedSessionContractImplementor currentFor(Object entity) {
        Step step = CURRENT.get();
        return step == null || !step.isOf(entity) ? null : step.session;
    }

    /** What the entity is being merged from; null for a persist. */
    static @Nullable Object mergedFrom() {
        Step step = CURRENT.get();
        return step == null ? null : step.mergedFrom;
    }

    /** False if the same persist or merge has called for the entity before: a listener that is named twice is called twice. */
    static boolean isFirstCallFor(Object entity) {
        Step step = CURRENT.get();
        if (step == null || step.calledFor == entity) {
            return false;
        }
        step.calledFor = entity;
        return true;
    }

    static void wrap(EventListenerRegistry events) {
        wrap(events, EventType.PERSIST, Persist::new, PersistEventListener[]::new);
        wrap(events, EventType.PERSIST_ONFLUSH, Persist::new, PersistEventListener[]::new);
        wrap(events, EventType.MERGE, Merge::new, MergeEventListener[]::new);
    }

    private static <T> void wrap(
            EventListenerRegistry events, EventType<T> type, Function<T, T> wrapper, IntFunction<T[]> array) {
        List<T> found = new ArrayList<>();
        events.getEventListenerGroup(type).fireEventOnEachListener(found, (listener, list) -> list.add(listener));
        events.setListeners(type, found.stream().map(wrapper).toArray(array));
    }

    private static void with(
            SharedSessionContractImplementor session,
            @Nullable Object mergedFrom,
            Predicate<Object> isOf,
            Runnable step) {
        Step before = CURRENT.get();
        CURRENT.set(new Step(session, mergedFrom, isOf));
        try {
            step.run();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** One event: an entity that is persisted or merged; a cascade is an event of its own. */
    private static final class Step {
        private final SharedSessionContractImplementor session;
        private final @Nullable Object mergedFrom;
        private final Predicate<Object> isOf;
        private @Nullable Object calledFor;

        Step(SharedSessionContractImplementor session, @Nullable Object mergedFrom, Predicate<Object> isOf) {
            this.session = session;
            this.mergedFrom = mergedFrom;
            this.isOf = isOf;
        }

        boolean isOf(Object entity) {
            return calledFor == null ? isOf.test(entity) : calledFor == entity;
        }
    }

    private static Predicate<Object> isOf(PersistEvent event) {
        return entity -> entity == Hibernate.unproxy(event.getObject());
    }

    /** The copy is not there yet. */
    private static Predicate<Object> isOf(MergeEvent event) {
        return entity -> {
            // An interceptor may instantiate a subclass, or name the entity of one.
            Class<?> given = Hibernate.getClass(event.getOriginal());
            return given.isInstance(entity) || entity.getClass().isAssignableFrom(given);
        };
    }

    private record Persist(PersistEventListener wrapped) implements PersistEventListener {
        @Override
        public void onPersist(PersistEvent event) {
            with(event.getSession(), null, isOf(event), () -> wrapped.onPersist(event));
        }

        @Override
        public void onPersist(PersistEvent event, PersistContext createdAlready) {
            with(event.getSession(), null, isOf(event), () -> wrapped.onPersist(event, createdAlready));
        }
    }

    private record Merge(MergeEventListener wrapped) implements MergeEventListener {
        @Override
        public void onMerge(MergeEvent event) {
            with(event.getSession(), event.getOriginal(), isOf(event), () -> wrapped.onMerge(event));
        }

        @Override
        public void onMerge(MergeEvent event, MergeContext copiedAlready) {
            with(event.getSession(), event.getOriginal(), isOf(event), () -> wrapped.onMerge(event, copiedAlready));
        }
    }
}
