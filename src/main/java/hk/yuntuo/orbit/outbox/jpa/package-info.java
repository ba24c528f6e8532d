/**
 * The outbox as JPA sees it: entities that are enqueued when they are persisted, the properties of a persistence unit, and the read-only
 * entity over {@code sender_outbox} for queries, reports and row locks.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.jpa;

import org.jspecify.annotations.NullMarked;
