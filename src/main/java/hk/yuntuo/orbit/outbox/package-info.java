/**
 * The two ends of the outbox: {@code Outbox} takes commands in, inside the caller's transaction; {@code OutboxSender} delivers them
 * to the task platform and records what became of each.
 */
@NullMarked
package hk.yuntuo.orbit.outbox;

import org.jspecify.annotations.NullMarked;
