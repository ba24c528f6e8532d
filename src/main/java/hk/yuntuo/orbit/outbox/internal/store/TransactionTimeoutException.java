package hk.yuntuo.orbit.outbox.internal.store;

import java.sql.SQLTimeoutException;
import java.time.Duration;

/** A transaction of the sender used up its time before its COMMIT; it is rolled back. */
final class TransactionTimeoutException extends SQLTimeoutException {
    private static final long serialVersionUID = 1L;

    TransactionTimeoutException(Duration limit) {
        super("the transaction did not end within " + limit.toMillis() + " ms");
    }
}
