/** The outboxes of a persistence unit, found by queue. */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.unit;

import org.jspecify.annotations.NullMarked;
