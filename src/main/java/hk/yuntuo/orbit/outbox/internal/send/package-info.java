/**
 * The pipeline of the sender: claim, deliver, settle. It moves data between the store, the platform and the rules.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.send;

import org.jspecify.annotations.NullMarked;
