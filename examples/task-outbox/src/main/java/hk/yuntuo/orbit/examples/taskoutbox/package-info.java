/**
 * What a service writes to use the outbox: its own entity, and one class that enqueues with it and records acceptances in it.
 */
@NullMarked
package hk.yuntuo.orbit.examples.taskoutbox;

import org.jspecify.annotations.NullMarked;
