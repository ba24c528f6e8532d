package hk.yuntuo.orbit.outbox.internal.guard;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a statement's text says of its locks. */
final class BusinessSql {
    private static final int SHOWN = 200;
    /** An application sends few texts again and again, unless it writes its data into them. */
    private static final int REMEMBERED = 2_048;

    private static final int REMEMBERED_LENGTH = 1_000;

    private static final Map<String, Boolean> JUDGED = new ConcurrentHashMap<>();
    /** Literals, names in backquotes (which may hold what looks like the others), and comments other than those MySQL executes. */
    private static final Pattern QUOTED = Pattern.compile(
            "'(?:[^'\\\\]|\\\\.|'')*+'|\"(?:[^\"\\\\]|\\\\.|\"\")*+\"|`[^`]*+`"
                    + "|/\\*(?!!).*?\\*/|--(?=\\s)[^\\n]*+|#[^\\n]*+",
            Pattern.DOTALL);

    private static final Pattern WRITES = Pattern.compile(
            "\\s*+(?:(?:INSERT|UPDATE|DELETE|REPLACE|LOAD|CALL)\\b|WITH\\b.*\\)\\s*(?:UPDATE|DELETE|INSERT|REPLACE)\\b)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern LOCKS = Pattern.compile(
            "\\bFOR\\s+(?:UPDATE|SHARE)\\b|\\bLOCK\\s+IN\\s+SHARE\\s+MODE\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern OUTBOX = Pattern.compile("\\bsender_outbox\\b", Pattern.CASE_INSENSITIVE);

    private BusinessSql() {}

    /** The outbox's own rows are no business rows. */
    static boolean writesOrLocks(String sql) {
        Boolean judged = JUDGED.get(sql);
        if (judged == null) {
            judged = judge(sql);
            if (sql.length() <= REMEMBERED_LENGTH && JUDGED.size() < REMEMBERED) {
                JUDGED.put(sql, judged);
            }
        }
        return judged;
    }

    private static boolean judge(String sql) {
        String bare = bare(sql);
        return (WRITES.matcher(bare).lookingAt() || LOCKS.matcher(bare).find())
                && !OUTBOX.matcher(bare).find();
    }

    /** One line without the literals and comments, which may hold what must not be logged. */
    static String shown(String sql) {
        String line = bare(sql).replaceAll("\\s+", " ").trim();
        return line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line;
    }

    private static String bare(String sql) {
        return QUOTED.matcher(sql).replaceAll(BusinessSql::bare);
    }

    private static String bare(MatchResult quoted) {
        return switch (quoted.group().charAt(0)) {
            case '\'', '"' -> "?";
            case '`' -> Matcher.quoteReplacement(quoted.group());
            default -> " ";
        };
    }
}
