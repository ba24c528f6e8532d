/**
 * What is submitted and to whom: the request, the port to the task platform, and the adapter that speaks HTTP to Orbit.
 */
@NullMarked
package hk.yuntuo.orbit.outbox.task;

import org.jspecify.annotations.NullMarked;
