/** Tests in which servers, sockets, processes and applications fail. */
@NullMarked
package hk.yuntuo.orbit.outbox.faults;

import org.jspecify.annotations.NullMarked;
