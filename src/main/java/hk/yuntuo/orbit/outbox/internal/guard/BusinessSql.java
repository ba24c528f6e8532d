package hk.yuntuo.orbit.outbox.internal.guard;

import java.util.regex.Pattern;

/** What a statement's text says of its locks. */
final class BusinessSql {
    private static final int SHOWN = 200;
    private static final Pattern WRITES = Pattern.compile(
            "(?:\\s|/\\*.*?\\*/|--\\s[^\\n]*\\n|#[^\\n]*\\n)*+"
                    + "(?:(?:INSERT|UPDATE|DELETE|REPLACE|LOAD|CALL)\\b|WITH\\b.*\\)\\s*(?:UPDATE|DELETE|INSERT|REPLACE)\\b)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern LOCKS = Pattern.compile(
            "\\bFOR\\s+(?:UPDATE|SHARE)\\b|\\bLOCK\\s+IN\\s+SHARE\\s+MODE\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern OUTBOX = Pattern.compile("\\bsender_outbox\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern LITERAL = Pattern.compile("'(?:[^'\\\\]|\\\\.|'')*+'", Pattern.DOTALL);

    private BusinessSql() {}

    /** The outbox's own rows are no business rows. */
    static boolean writesOrLocks(String sql) {
        return (WRITES.matcher(sql).lookingAt() || LOCKS.matcher(sql).find())
                && !OUTBOX.matcher(sql).find();
    }

    /** One line without the literals, which may hold what must not be logged. */
    static String shown(String sql) {
        String line =
                LITERAL.matcher(sql).replaceAll("?").replaceAll("\\s+", " ").trim();
        return line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line;
    }
}
