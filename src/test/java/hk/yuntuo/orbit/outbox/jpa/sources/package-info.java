/** Entities that are enqueued when they are persisted, one for each way of being mapped. */
@NullMarked
package hk.yuntuo.orbit.outbox.jpa.sources;

import org.jspecify.annotations.NullMarked;
