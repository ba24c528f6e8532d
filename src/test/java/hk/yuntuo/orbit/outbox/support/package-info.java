/** What the integration tests share: a schema with the table, persistence units over it, and a business entity. */
@NullMarked
package hk.yuntuo.orbit.outbox.support;

import org.jspecify.annotations.NullMarked;
