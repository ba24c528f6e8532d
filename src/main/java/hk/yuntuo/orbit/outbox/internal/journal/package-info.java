/** What one open transaction has done so far: the commands it wrote, the entities they belong to, and its first business write. */
@NullMarked
package hk.yuntuo.orbit.outbox.internal.journal;

import org.jspecify.annotations.NullMarked;
