package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.internal.freeze.RequestFreezer;
import hk.yuntuo.orbit.outbox.internal.unit.QueueSettings;
import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/** Reads the {@link OutboxUnit} properties of a unit. Every error names the property. */
final class UnitProperties {
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
    List<QueueSettings> queues() {
        String namespaceId = text(OutboxUnit.NAMESPACE_ID);
        String queueIds = text(OutboxUnit.QUEUE_ID);
        int maxDocumentBytes = maxDocumentBytes();
        LockOrderGuard guard = guard();
        if (namespaceId == null && queueIds == null) {
            return List.of();
        }
        String namespace = identifier(OutboxUnit.NAMESPACE_ID, namespaceId);
        return Stream.of((queueIds == null ? "" : queueIds).split(",", -1))
                .map(queueId -> identifier(OutboxUnit.QUEUE_ID, queueId.trim()))
                .map(queueId -> new QueueSettings(namespace, queueId, maxDocumentBytes, guard))
                .toList();
    }

    private static String identifier(String property, @Nullable String value) {
        try {
            return Identifiers.queueId(value);
        } catch (InvalidInputException e) {
            throw new InvalidInputException(property, e.rule(), value);
        }
    }

    private int maxDocumentBytes() {
        String value = text(OutboxUnit.MAX_DOCUMENT_BYTES);
        try {
            int bytes = value == null ? RequestFreezer.DEFAULT_MAX_DOCUMENT_BYTES : Integer.parseInt(value);
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
            return LockOrderGuard.WARN;
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
