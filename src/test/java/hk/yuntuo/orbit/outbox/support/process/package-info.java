/** Senders and business transactions in processes of their own, and the signals that befall them. */
@NullMarked
package hk.yuntuo.orbit.outbox.support.process;

import org.jspecify.annotations.NullMarked;
