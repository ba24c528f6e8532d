package hk.yuntuo.orbit.outbox.internal.store;

import java.util.regex.Pattern;

/**
 * SQL that ends a transaction in MySQL, by itself or by an implicit commit. Within a callback it would store half of a confirmation.
 * Source: MySQL's manual, "Statements That Cause an Implicit Commit". What a stored procedure does is not seen.
 */
public final class TransactionSql {
    /** White space and comments, without a way back, so that no text costs more than one pass. */
    private static final String BLANK = "(?:\\s++|(?>/\\*(?!!).*?\\*/)|(?:--(?=\\s)|#)[^\\n]*+)*+";

    private static final String WORDS =
            "(?:COMMIT|ROLLBACK(?!\\s+(?:WORK\\s+)?TO\\b)|BEGIN|START|XA|LOCK|UNLOCK|TRUNCATE"
                    + "|(?:CREATE|DROP)(?!\\s+TEMPORARY\\b)|ALTER|RENAME|GRANT|REVOKE|ANALYZE|OPTIMIZE|REPAIR|CHECK|CACHE"
                    + "|INSTALL|UNINSTALL|FLUSH|RESET|LOAD)\\b";
    private static final String AUTOCOMMIT = "SET\\s+PASSWORD\\b|SET\\b[^'\"]*?(?<![^@]@)\\bautocommit\\b";
    private static final Pattern ENDS = Pattern.compile(
            BLANK + "(?:/\\*!\\d*+\\s*+)?(?:" + WORDS + "|" + AUTOCOMMIT + ")",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private TransactionSql() {}

    /**
     * Passes everything else.
     *
     * @throws IllegalStateException if the statement would end the transaction
     */
    public static void refuse(String sql) {
        if (ENDS.matcher(sql).lookingAt()) {
            throw new IllegalStateException(
                    "a statement that ends the transaction is refused: the sender owns it and ends it itself");
        }
    }
}
