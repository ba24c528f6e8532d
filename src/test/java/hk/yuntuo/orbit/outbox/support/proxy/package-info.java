/** A proxy before MySQL that reads its protocol and strikes at single commands. */
@NullMarked
package hk.yuntuo.orbit.outbox.support.proxy;

import org.jspecify.annotations.NullMarked;
