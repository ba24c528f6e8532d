/** A long run of everything at once, with faults of every kind drawn from a seed, and the invariants that must hold of its history. */
@NullMarked
package hk.yuntuo.orbit.outbox.randomrun;

import org.jspecify.annotations.NullMarked;
