package hk.yuntuo.orbit.outbox.internal.store;

import java.util.regex.Pattern;

/**
 * SQL that ends a transaction in MySQL, by itself or by an implicit commit. Within a callback it would store half of a confirmation.
 * Source: MySQL's manual, "Statements That Cause an Implicit Commit".
 */
public final class TransactionSql {
    private static final Pattern ENDS = Pattern.compile(
            "(?is)\\A(\\s|/\\*.*?\\*/|(--\\s|#)[^\\n]*\\n)*((COMMIT|ROLLBACK|BEGIN|START|XA|LOCK|UNLOCK|TRUNCATE|CREATE|ALTER|DROP|RENAME"
                    + "|GRANT|REVOKE|ANALYZE|OPTIMIZE|REPAIR|FLUSH|RESET|LOAD)\\b|SET\\b.*\\bautocommit\\b).*");

    private TransactionSql() {}

    /**
     * Passes everything else.
     *
     * @throws IllegalStateException if the statement would end the transaction
     */
    public static void refuse(String sql) {
        if (ENDS.matcher(sql).matches()) {
            throw new IllegalStateException(
                    "a statement that ends the transaction is refused: the sender owns it and ends it itself");
        }
    }
}
