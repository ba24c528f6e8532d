package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.internal.journal.EventSessions;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.PostDeleteEvent;
import org.hibernate.event.spi.PostDeleteEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostInsertEventListener;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.event.spi.PreUpsertEvent;
import org.hibernate.event.spi.PreUpsertEventListener;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the rows of sources. None is inserted without its command: a stateless session enqueues here, and any other way around the
 * listener ends here with an error. What was inserted and deleted is noted, so that commands without a row are withdrawn.
 */
final class SourceRows
        implements PreInsertEventListener, PostInsertEventListener, PostDeleteEventListener, PreUpsertEventListener {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(SourceRows.class);

    private final transient SourceClasses listening;

    private SourceRows(SourceClasses listening) {
        this.listening = listening;
    }

    static void follow(EventListenerRegistry events, SourceClasses listening) {
        SourceRows rows = new SourceRows(listening);
        events.prependListeners(EventType.PRE_INSERT, rows);
        events.prependListeners(EventType.POST_INSERT, rows);
        events.prependListeners(EventType.POST_DELETE, rows);
        events.prependListeners(EventType.PRE_UPSERT, rows);
    }

    /** Never a veto. */
    @Override
    public boolean onPreInsert(PreInsertEvent event) {
        if (event.getEntity() instanceof OutboxSource source) {
            beforeInsert(sessionOf(event), source, event.getPersister());
        } else if (listening.contains(event.getPersister())) {
            // It throws, as for a stateful session.
            SourceCommands.enqueue(sessionOf(event), event.getEntity());
        }
        return false;
    }

    private static SharedSessionContractImplementor sessionOf(PreInsertEvent event) {
        SharedSessionContractImplementor session = EventSessions.of(event);
        if (session == null) {
            throw new IllegalStateException(
                    "StatelessSession.insert of " + event.getPersister().getEntityName()
                            + " needs Hibernate 7.2 or later: before it, the event does not tell the session.");
        }
        return session;
    }

    private void beforeInsert(
            SharedSessionContractImplementor session, OutboxSource source, EntityPersister persister) {
        if (!session.isEventSource() && listening.contains(persister)) {
            // Also for an instance whose insert has failed before: the server may have rolled its command back.
            SourceCommands.enqueue(session, source);
            return;
        }
        TransactionJournal journal = TransactionJournal.existing(session);
        if (journal != null && journal.commands().holdsCommandOf(source, null)) {
            return;
        }
        if (journal == null || !journal.commands().keepsCommand(source.outboxOperationId(), source)) {
            throw new IllegalStateException("The row of " + persister.getEntityName()
                    + " is inserted by a transaction that has not enqueued its command: " + listening.why(persister)
                    + ". It was refused, because the command would be lost.");
        }
    }

    @Override
    public void onPostInsert(PostInsertEvent event) {
        if (isVetoed(event)) {
            return;
        }
        TransactionJournal journal = journalOf(event.getEntity(), EventSessions.of(event));
        if (journal != null) {
            journal.commands()
                    .rowInserted(
                            event.getEntity(),
                            EventSessions.of(event).generateEntityKey(event.getId(), event.getPersister()));
        }
    }

    /** Hibernate tells of an INSERT that a PreInsertEventListener has vetoed, too. */
    private static boolean isVetoed(PostInsertEvent event) {
        SharedSessionContractImplementor session = EventSessions.of(event);
        if (event.getId() == null) {
            return true;
        }
        if (session == null || !session.isEventSource()) {
            return false;
        }
        EntityEntry entry = session.getPersistenceContextInternal().getEntry(event.getEntity());
        return entry != null && !entry.isExistsInDatabase();
    }

    @Override
    public void onPostDelete(PostDeleteEvent event) {
        TransactionJournal journal = journalOf(event.getEntity(), EventSessions.of(event));
        if (journal != null) {
            journal.commands()
                    .rowDeleted(EventSessions.of(event).generateEntityKey(event.getId(), event.getPersister()));
        }
    }

    private static @Nullable TransactionJournal journalOf(
            Object entity, @Nullable SharedSessionContractImplementor session) {
        return entity instanceof OutboxSource && session != null ? TransactionJournal.existing(session) : null;
    }

    /** Whether an upsert inserts is not known before the database has done it. Never a veto. */
    @Override
    public boolean onPreUpsert(PreUpsertEvent event) {
        if (event.getEntity() instanceof OutboxSource) {
            LOG.warn(
                    "outbox.upsert entity={} was upserted: nothing is enqueued for it, whether it is new or not."
                            + " Use insert, or call Outbox.enqueue.",
                    event.getPersister().getEntityName());
        }
        return false;
    }

    @Override
    public boolean requiresPostCommitHandling(EntityPersister persister) {
        return false;
    }
}
