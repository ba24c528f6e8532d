/** A source and its parts that are enhanced by a class loader of the test. */
@NullMarked
package hk.yuntuo.orbit.outbox.jpa.enhanced;

import org.jspecify.annotations.NullMarked;
