/**
 * The pure rules: state x outcome x budget to settlement, back-off, time limits. No I/O, no clock read, no randomness.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.rules;

import org.jspecify.annotations.NullMarked;
