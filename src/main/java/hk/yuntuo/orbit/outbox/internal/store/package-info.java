/**
 * Every SQL statement, and the code that binds and runs them inside bounded transactions. It decides nothing.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.store;

import org.jspecify.annotations.NullMarked;
