package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.internal.freeze.RequestFreezer;
import hk.yuntuo.orbit.outbox.internal.unit.QueueSettings;
import hk.yuntuo.orbit.outbox.internal.unit.UnitDefaults;
import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/** Reads the {@link OutboxUnit} properties of a unit. Every error names the property. */
final class UnitProperties {
    private static final Set<String> KNOWN = Set.of(
            OutboxUnit.NAMESPACE_ID,
            OutboxUnit.QUEUE_ID,
            OutboxUnit.MAX_DOCUMENT_BYTES,
            OutboxUnit.LOCK_ORDER_GUARD,
            OutboxUnit.MAPPING_ENABLED);

    private final Map<String, Object> settings;

    private UnitProperties(Map<String, Object> settings) {
        this.settings = settings;
    }

    static UnitProperties of(SessionFactoryImplementor factory) {
        return new UnitProperties(factory.getServiceRegistry()
                .requireService(ConfigurationService.class)
                .getSettings());
    }

    /** Empty if neither a namespace nor a queue is set. */
    List<QueueSettings> queues(UnitDefaults defaults) {
        String namespaceId = text(OutboxUnit.NAMESPACE_ID);
        String queueIds = text(OutboxUnit.QUEUE_ID);
        if (namespaceId == null && queueIds == null) {
            return List.of();
        }
        String namespace = identifier(OutboxUnit.NAMESPACE_ID, namespaceId);
        return (queueIds == null
                        ? Stream.of(queueIds)
                        : Stream.of(queueIds.split(",", -1)).map(String::trim))
                .map(queueId -> identifier(OutboxUnit.QUEUE_ID, queueId))
                .map(queueId -> new QueueSettings(namespace, queueId, defaults.maxDocumentBytes(), defaults.guard()))
                .toList();
    }

    UnitDefaults defaults() {
        return new UnitDefaults(maxDocumentBytes(), guard());
    }

    /** Names that look like properties of this library and are none: a typing error would be silent otherwise. */
    Set<String> unknown() {
        Set<String> unknown = new TreeSet<>(settings.keySet());
        unknown.removeIf(name -> !name.startsWith("orbit.outbox.") || KNOWN.contains(name));
        return unknown;
    }

    private static String identifier(String property, @Nullable String value) {
        if (value == null) {
            throw new InvalidInputException(
                    property,
                    "is missing: " + OutboxUnit.NAMESPACE_ID + " and " + OutboxUnit.QUEUE_ID + " are set together",
                    null);
        }
        try {
            return Identifiers.queueId(value);
        } catch (InvalidInputException e) {
            throw new InvalidInputException(property, e.rule(), value);
        }
    }

    private int maxDocumentBytes() {
        String value = text(OutboxUnit.MAX_DOCUMENT_BYTES);
        try {
            int bytes = value == null ? UnitDefaults.STANDARD.maxDocumentBytes() : Integer.parseInt(value);
            new RequestFreezer(bytes);
            return bytes;
        } catch (NumberFormatException | InvalidInputException e) {
            throw new InvalidInputException(
                    OutboxUnit.MAX_DOCUMENT_BYTES,
                    "must be a number between " + RequestFreezer.LEAST_MAX_DOCUMENT_BYTES + " and "
                            + RequestFreezer.GREATEST_MAX_DOCUMENT_BYTES,
                    value);
        }
    }

    private LockOrderGuard guard() {
        String value = text(OutboxUnit.LOCK_ORDER_GUARD);
        if (value == null) {
            return UnitDefaults.STANDARD.guard();
        }
        return Stream.of(LockOrderGuard.values())
                .filter(guard -> guard.name().equals(value))
                .findAny()
                .orElseThrow(() ->
                        new InvalidInputException(OutboxUnit.LOCK_ORDER_GUARD, "must be OFF, WARN or FAIL", value));
    }

    private @Nullable String text(String property) {
        Object value = settings.get(property);
        return value == null ? null : value.toString();
    }
}
