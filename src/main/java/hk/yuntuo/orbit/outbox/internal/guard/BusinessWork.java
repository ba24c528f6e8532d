package hk.yuntuo.orbit.outbox.internal.guard;

import hk.yuntuo.orbit.outbox.internal.journal.EventSessions;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.LockMode;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.AbstractCollectionEvent;
import org.hibernate.event.spi.AbstractDatabaseOperationEvent;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.PersistContext;
import org.hibernate.event.spi.PersistEvent;
import org.hibernate.event.spi.PersistEventListener;
import org.hibernate.event.spi.PostDeleteEvent;
import org.hibernate.event.spi.PostDeleteEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostInsertEventListener;
import org.hibernate.event.spi.PostUpdateEvent;
import org.hibernate.event.spi.PostUpdateEventListener;
import org.hibernate.event.spi.PostUpsertEvent;
import org.hibernate.event.spi.PostUpsertEventListener;
import org.hibernate.event.spi.RefreshContext;
import org.hibernate.event.spi.RefreshEvent;
import org.hibernate.event.spi.RefreshEventListener;
import org.hibernate.persister.collection.CollectionPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** Notes the entity and collection writes of a unit, and announces to {@link StatementWatch} whose statements come next. */
final class BusinessWork
        implements PostInsertEventListener, PostUpdateEventListener, PostDeleteEventListener, PostUpsertEventListener {
    private static final long serialVersionUID = 1L;

    private BusinessWork() {}

    /** Once for a unit, however many outboxes ask. */
    static void listenTo(SessionFactoryImplementor factory) {
        EventListenerRegistry events = factory.getEventListenerRegistry();
        List<PostInsertEventListener> found = new ArrayList<>();
        events.getEventListenerGroup(EventType.POST_INSERT)
                .fireEventOnEachListener(found, (listener, list) -> list.add(listener));
        if (found.stream().anyMatch(BusinessWork.class::isInstance)) {
            return;
        }
        BusinessWork work = new BusinessWork();
        events.appendListeners(EventType.POST_INSERT, work);
        events.appendListeners(EventType.POST_UPDATE, work);
        // Before the journal is told that the row is gone, and with it whose it was.
        events.prependListeners(EventType.POST_DELETE, work);
        events.appendListeners(EventType.POST_UPSERT, work);
        noteCollections(events);
        silenceEntityStatements(events);
        announceQueriesAndLocks(events);
    }

    private static void noteCollections(EventListenerRegistry events) {
        events.appendListeners(EventType.POST_COLLECTION_RECREATE, BusinessWork::collectionWritten);
        events.appendListeners(EventType.POST_COLLECTION_UPDATE, BusinessWork::collectionWritten);
        events.appendListeners(EventType.POST_COLLECTION_REMOVE, BusinessWork::collectionWritten);
    }

    private static void silenceEntityStatements(EventListenerRegistry events) {
        // Before an id generator prepares its own statement.
        events.prependListeners(EventType.PERSIST, new SilencedPersist());
        events.prependListeners(EventType.PERSIST_ONFLUSH, new SilencedPersist());
        events.prependListeners(EventType.PRE_INSERT, event -> isSilenced());
        events.prependListeners(EventType.PRE_UPDATE, event -> isSilenced());
        events.prependListeners(EventType.PRE_DELETE, event -> isSilenced());
        events.prependListeners(EventType.PRE_UPSERT, event -> isSilenced());
        events.prependListeners(EventType.PRE_COLLECTION_RECREATE, event -> StatementWatch.silence());
        events.prependListeners(EventType.PRE_COLLECTION_UPDATE, event -> StatementWatch.silence());
        events.prependListeners(EventType.PRE_COLLECTION_REMOVE, event -> StatementWatch.silence());
    }

    /** Never a veto. */
    private static boolean isSilenced() {
        StatementWatch.silence();
        return false;
    }

    private static void announceQueriesAndLocks(EventListenerRegistry events) {
        events.appendListeners(EventType.AUTO_FLUSH, event -> StatementWatch.announce(event.getSession()));
        events.prependListeners(EventType.LOCK, event -> StatementWatch.announce(event.getSession()));
        events.prependListeners(EventType.REFRESH, new AnnouncedRefresh());
        events.prependListeners(EventType.LOAD, (event, type) -> {
            if (event.getLockOptions().getLockMode().greaterThan(LockMode.READ)) {
                StatementWatch.announce(event.getSession());
            }
        });
    }

    @Override
    public void onPostInsert(PostInsertEvent event) {
        written("insert", event);
    }

    @Override
    public void onPostUpdate(PostUpdateEvent event) {
        written("update", event);
    }

    @Override
    public void onPostDelete(PostDeleteEvent event) {
        written("delete", event);
    }

    @Override
    public void onPostUpsert(PostUpsertEvent event) {
        written("upsert", event);
    }

    @Override
    public boolean requiresPostCommitHandling(EntityPersister persister) {
        return false;
    }

    private static void written(String what, AbstractDatabaseOperationEvent event) {
        EntityPersister persister = event.getPersister();
        SharedSessionContractImplementor session = EventSessions.of(event);
        if (session != null) {
            EntityKey row = session.generateEntityKey(event.getId(), persister);
            note(session, event.getEntity(), row, what + " of " + persister.getEntityName());
        }
    }

    /** An inverse collection is written by its elements. */
    private static void collectionWritten(AbstractCollectionEvent event) {
        SharedSessionContractImplementor session = EventSessions.of(event);
        String role =
                event.getCollection() == null ? null : event.getCollection().getRole();
        if (session == null || role == null) {
            return;
        }
        CollectionPersister collection =
                session.getFactory().getMappingMetamodel().getCollectionDescriptor(role);
        if (!collection.isInverse()) {
            Object ownerId = event.getAffectedOwnerIdOrNull();
            EntityKey row =
                    ownerId == null ? null : session.generateEntityKey(ownerId, collection.getOwnerEntityPersister());
            note(session, event.getAffectedOwnerOrNull(), row, "write of the collection " + role);
        }
    }

    private static void note(
            SharedSessionContractImplementor session,
            @Nullable Object entity,
            @Nullable EntityKey row,
            String description) {
        if (!session.isTransactionInProgress()) {
            return;
        }
        TransactionJournal journal = TransactionJournal.of(session);
        if (entity == null || !journal.commands().holdsCommandOf(entity, row)) {
            journal.noteWrite(description);
        }
    }

    /** What another session has sent meanwhile on this thread must not be taken for this one's. */
    private static final class SilencedPersist implements PersistEventListener {
        private static final long serialVersionUID = 1L;

        @Override
        public void onPersist(PersistEvent event) {
            StatementWatch.silence();
        }

        @Override
        public void onPersist(PersistEvent event, PersistContext createdAlready) {
            StatementWatch.silence();
        }
    }

    /** A refresh may lock. */
    private static final class AnnouncedRefresh implements RefreshEventListener {
        private static final long serialVersionUID = 1L;

        @Override
        public void onRefresh(RefreshEvent event) {
            StatementWatch.announce(event.getSession());
        }

        @Override
        public void onRefresh(RefreshEvent event, RefreshContext refreshedAlready) {
            onRefresh(event);
        }
    }
}
