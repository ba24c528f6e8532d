/** JTA units over real transaction managers and pools. */
@NullMarked
package hk.yuntuo.orbit.outbox.support.jta;

import org.jspecify.annotations.NullMarked;
