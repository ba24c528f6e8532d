package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.internal.guard.StatementWatch;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.internal.store.UnitSettings;
import hk.yuntuo.orbit.outbox.internal.unit.QueueOutbox;
import hk.yuntuo.orbit.outbox.internal.unit.QueueSettings;
import hk.yuntuo.orbit.outbox.internal.unit.UnitDefaults;
import hk.yuntuo.orbit.outbox.internal.unit.UnitOutboxes;
import java.util.List;
import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;

/**
 * Prepares a persistence unit for {@link OutboxListener}: makes the session available to it, follows the rows of sources, binds the outboxes of the
 * unit's {@link OutboxUnit} properties, and reports at boot what would fail or be missed later. A unit without sources keeps
 * Hibernate's own event listeners.
 */
public final class OutboxIntegrator implements Integrator {
    /** For Hibernate, which finds it as a Java service. */
    public OutboxIntegrator() {}

    @Override
    public void integrate(
            Metadata metadata, BootstrapContext bootstrapContext, SessionFactoryImplementor sessionFactory) {
        // Before anything is opened: Hibernate does not close for an integrator that has thrown.
        UnitProperties properties = UnitProperties.of(sessionFactory);
        UnitDefaults defaults = properties.defaults();
        List<QueueSettings> queues = properties.queues(defaults);
        SourceClasses sources = new SourceClasses(metadata, sessionFactory);
        UnitOutboxes unit = UnitOutboxes.open(sessionFactory, defaults);
        StatementWatch.install(sessionFactory);
        if (!sources.isEmpty()) {
            EventListenerRegistry events = sessionFactory.getEventListenerRegistry();
            SessionAtHand.wrap(events);
            SourceRows.follow(events, sources);
            sources.all().forEach(source -> unit.watches(source.type()));
        }
        sessionFactory.addObserver(new SessionFactoryObserver() {
            @Override
            public void sessionFactoryCreated(SessionFactory factory) {
                if (!queues.isEmpty()) {
                    UnitSettings.requireConnectionIsKept(factory);
                }
                queues.forEach(queue -> unit.bind(new QueueOutbox(sessionFactory, queue)));
                sources.report(name(sessionFactory), unit.queueIds(), properties.unknown());
            }
        });
    }

    private static String name(SessionFactoryImplementor factory) {
        String name = factory.getName();
        return name == null ? "(unnamed)" : name;
    }

    @Override
    public void disintegrate(SessionFactoryImplementor sessionFactory, SessionFactoryServiceRegistry serviceRegistry) {
        UnitOutboxes.close(sessionFactory);
        TransactionJournal.forgetThoseOf(sessionFactory);
    }
}
