/** The guard of the order of locks: sees business rows being written or locked before an enqueue. */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.guard;

import org.jspecify.annotations.NullMarked;
