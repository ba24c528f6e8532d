/**
 * For tests, ours and those of services that use the library: a simulator of the platform that speaks its HTTP contract and fails on
 * demand, and a finder of a real MySQL.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.testing;

import org.jspecify.annotations.NullMarked;
