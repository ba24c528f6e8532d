/**
 * Turns a request into the bytes that are stored and sent for ever, and their digest.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.freeze;

import org.jspecify.annotations.NullMarked;
