package hk.yuntuo.orbit.outbox.jpa;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import org.hibernate.boot.Metadata;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.jpa.event.spi.CallbackDefinition;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.resource.beans.spi.ManagedBeanRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The entities of a unit that are sources or have the listener, and what is wrong with them. */
final class SourceClasses {
    private static final Logger LOG = LoggerFactory.getLogger(SourceClasses.class);

    private final boolean callbacksEnabled;
    private final boolean outboxMapped;
    /** By entity name, in the order of the names. */
    private final TreeMap<String, SourceClass> classes = new TreeMap<>();

    SourceClasses(Metadata metadata, SessionFactoryImplementor factory) {
        this.callbacksEnabled = factory.getSessionFactoryOptions().areJPACallbacksEnabled();
        this.outboxMapped = metadata.getEntityBinding(OutboxEntity.class.getName()) != null;
        for (PersistentClass entity : metadata.getEntityBindings()) {
            if (entity.hasPojoRepresentation() && canBePersisted(entity.getMappedClass())) {
                Class<?> type = entity.getMappedClass();
                SourceClass found =
                        new SourceClass(type, OutboxSource.class.isAssignableFrom(type), hasListener(entity));
                if (found.isSource() || found.hasListener()) {
                    classes.put(entity.getEntityName(), found);
                }
            }
        }
    }

    /** An OutboxEntity never is, and has the listener too if orm.xml names it for all entities. */
    private static boolean canBePersisted(Class<?> type) {
        return type != OutboxEntity.class && !Modifier.isAbstract(type.getModifiers());
    }

    boolean isEmpty() {
        return classes.isEmpty();
    }

    Iterable<SourceClass> all() {
        return classes.values();
    }

    /** Whether persisting the entity enqueues. */
    boolean contains(EntityPersister persister) {
        SourceClass found = classes.get(persister.getEntityName());
        return found != null && found.hasListener() && callbacksEnabled;
    }

    /** Why a row of the entity can come without its command. */
    String why(EntityPersister persister) {
        SourceClass found = classes.get(persister.getEntityName());
        if (found == null || !found.hasListener()) {
            return "it is an OutboxSource without OutboxListener among its entity listeners; add it, or call"
                    + " Outbox.enqueue before the persist";
        }
        if (!callbacksEnabled) {
            return "hibernate.jpa_callbacks.enabled is false, so OutboxListener is never called; set it to true, or call"
                    + " Outbox.enqueue before the persist";
        }
        return "it was persisted in another transaction than its INSERT, or by replicate, or the instance is of a class that"
                + " is not mapped itself; persist an instance of the mapped class in the transaction that stores it";
    }

    /** Speaks up at boot about what would fail or be missed later. */
    void report(String unit, Set<String> queueIds, Set<String> unknownProperties) {
        if (!unknownProperties.isEmpty()) {
            LOG.warn("outbox.boot unit={} does not know the properties {}; see OutboxUnit", unit, unknownProperties);
        }
        classes.forEach((name, found) -> {
            if (!found.hasListener()) {
                LOG.warn(
                        "outbox.boot unit={} {} is an OutboxSource without OutboxListener: its rows are refused unless"
                                + " Outbox.enqueue was called before",
                        unit,
                        name);
            } else if (!found.isSource()) {
                LOG.warn(
                        "outbox.boot unit={} {} has OutboxListener but is no OutboxSource: it cannot be persisted",
                        unit,
                        name);
            }
        });
        if (classes.values().stream().noneMatch(SourceClass::hasListener)) {
            return;
        }
        if (!callbacksEnabled) {
            LOG.warn(
                    "outbox.boot unit={} hibernate.jpa_callbacks.enabled=false turns OutboxListener off: rows of {} are"
                            + " refused unless Outbox.enqueue was called before",
                    unit,
                    classes.keySet());
        }
        if (!outboxMapped) {
            LOG.warn(
                    "outbox.boot unit={} OutboxEntity is not mapped, but {} enqueue into sender_outbox: the database must have"
                            + " it",
                    unit,
                    classes.keySet());
        }
        if (queueIds.isEmpty()) {
            LOG.info(
                    "outbox.boot unit={} has no queue for {} yet: persisting them fails until {} and {} are set or an"
                            + " Outbox is bound",
                    unit,
                    classes.keySet(),
                    OutboxUnit.NAMESPACE_ID,
                    OutboxUnit.QUEUE_ID);
        }
    }

    /** Asks each callback for the bean it would be called on, and takes down the class: by annotation or by XML, it is the same. */
    private static boolean hasListener(PersistentClass entity) {
        Set<Object> listeners = new HashSet<>();
        ManagedBeanRegistry noting = (ManagedBeanRegistry) Proxy.newProxyInstance(
                ManagedBeanRegistry.class.getClassLoader(),
                new Class<?>[] {ManagedBeanRegistry.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getBean")) {
                        listeners.add(arguments[0]);
                    }
                    return null;
                });
        for (CallbackDefinition definition : entity.getCallbackDefinitions()) {
            definition.createCallback(noting);
        }
        return listeners.contains(OutboxListener.class);
    }

    /** One entity class. */
    record SourceClass(Class<?> type, boolean isSource, boolean hasListener) {}
}
