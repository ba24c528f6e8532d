/**
 * What an application plugs in: its code to run with an acceptance, and the boundaries of its transactions.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.spi;

import org.jspecify.annotations.NullMarked;
