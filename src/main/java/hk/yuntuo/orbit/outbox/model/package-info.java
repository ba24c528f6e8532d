/**
 * The words of the outbox, shared by every other package: operation ids, records, states, result codes and errors.
 * It depends on nothing.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.model;

import org.jspecify.annotations.NullMarked;
