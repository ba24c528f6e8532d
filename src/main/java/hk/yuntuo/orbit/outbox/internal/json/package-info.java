/**
 * Which JSON both MySQL and the platform take, and how JSON is written so that the same value always gives the same text.
 * It depends on nothing but {@code model}.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.json;

import org.jspecify.annotations.NullMarked;
