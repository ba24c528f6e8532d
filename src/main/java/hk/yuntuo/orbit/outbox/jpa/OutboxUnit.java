package hk.yuntuo.orbit.outbox.jpa;

/**
 * The properties of a persistence unit that configure its outbox: in {@code persistence.xml}, in a {@code PersistenceConfiguration}, or
 * wherever else Hibernate takes properties from. They are read once, when the unit is built; a wrong one fails the building with an error
 * that names it.
 */
public final class OutboxUnit {
    /** The platform namespace of the unit's queues: 1 to 64 characters of {@code A-Z a-z 0-9 . _ : -}. Needs {@link #QUEUE_ID}. */
    public static final String NAMESPACE_ID = "orbit.outbox.namespace-id";

    /** The queue that {@link OutboxListener} enqueues into, or several separated by commas. Needs {@link #NAMESPACE_ID}. */
    public static final String QUEUE_ID = "orbit.outbox.queue-id";

    /** The greatest frozen document in bytes, 1 024 to 16 777 215; 1 048 576 by default. Outboxes that are built over the unit have it too. */
    public static final String MAX_DOCUMENT_BYTES = "orbit.outbox.max-document-bytes";

    /**
     * What becomes of an enqueue after business rows were written or locked: {@code OFF}, {@code WARN} (the default) or {@code FAIL}. Outboxes
     * that are built over the unit have it too, unless they are given their own.
     */
    public static final String LOCK_ORDER_GUARD = "orbit.outbox.lock-order-guard";

    /**
     * Whether {@link OutboxEntity} is mapped without being named. If it is not set, it is mapped unless Hibernate generates, updates, drops or
     * empties the unit's schema: a mapped table would be dropped and made again, without its commands, its index and most of its checks.
     * {@code false} is for units whose database has no {@code sender_outbox}. A unit that names the entity has it in any case.
     */
    public static final String MAPPING_ENABLED = "orbit.outbox.mapping.enabled";

    private OutboxUnit() {}
}
