/** What the library makes of lost connections, dead processes and failing resources: on a real server and real sockets. */
@NullMarked
package hk.yuntuo.orbit.outbox.faults;

import org.jspecify.annotations.NullMarked;
