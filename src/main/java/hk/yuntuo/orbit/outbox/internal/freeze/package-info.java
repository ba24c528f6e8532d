/**
 * Turns a request into the bytes that are stored and sent for ever, and knows which JSON both MySQL and the platform take.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.freeze;

import org.jspecify.annotations.NullMarked;
