/**
 * The protocol as a small formal model: every interleaving of callers, senders, clock, network and platform is walked through, over the
 * real rules of settlement, and invariants are checked at each step. No database, no thread, no clock.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.protocol;

import org.jspecify.annotations.NullMarked;
