package hk.yuntuo.orbit.outbox.internal.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our rules against MySQL's: what JSON_VALID refuses we refuse, and beyond it only the kinds listed here. */
class JsonRulesIT {
    private static final long SEED = 20_261_130;
    private static final int TEXTS = 12_000;
    private static final int TEXTS_PER_STATEMENT = 1_000;
    private static final int ER_JSON_DOCUMENT_TOO_DEEP = 3157;
    private static final Pattern LONG_INTEGER_TAKEN_BACK = Pattern.compile("\\d{309,}(\\.\\d+)?[eE]-\\d+");

    /** How the two answered to one text. */
    private enum Answers {
        BOTH_TAKE,
        BOTH_REFUSE,
        /** The database would refuse what we let through. */
        ONLY_MYSQL_REFUSES,
        REPEATED_KEY,
        /** An integer part beyond a double, with an exponent that makes it zero. */
        INTEGER_PART,
        /** MySQL takes a NUL after the value for the end of the text. */
        NUL_AFTER_VALUE,
        ONLY_WE_REFUSE
    }

    private static TestSchema schema;
    private static Connection connection;

    @BeforeAll
    static void connect() throws SQLException {
        schema = MySqlServer.find().createSchema("json_rules");
        connection = schema.connect();
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
        schema.close();
    }

    @Test
    void numbersAreJudgedLikeMySql() throws SQLException {
        RandomJson random = new RandomJson(SEED);
        assertKinds(
                EnumSet.of(Answers.BOTH_TAKE, Answers.BOTH_REFUSE, Answers.INTEGER_PART),
                compare(random::number, 2 * TEXTS));
    }

    @Test
    void stringsAreJudgedLikeMySql() throws SQLException {
        RandomJson random = new RandomJson(SEED + 1);
        assertKinds(EnumSet.of(Answers.BOTH_TAKE, Answers.BOTH_REFUSE), compare(random::string, TEXTS));
    }

    @Test
    void documentsAreJudgedLikeMySqlButForRepeatedKeysAndNul() throws SQLException {
        RandomJson random = new RandomJson(SEED + 2);
        assertKinds(
                EnumSet.of(Answers.BOTH_TAKE, Answers.BOTH_REFUSE, Answers.REPEATED_KEY, Answers.NUL_AFTER_VALUE),
                compare(random::document, TEXTS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "\"a\"", "null", "[]", "{}", "1,[2]", "{\"b\":1,\"c\":[]}"})
    void depthIsCountedLikeMySql(String innermost) {
        for (int depth = JsonRules.MAX_DEPTH - 3; depth <= JsonRules.MAX_DEPTH + 1; depth++) {
            String arrays = "[".repeat(depth) + innermost + "]".repeat(depth);
            assertEquals(mySqlTakesDepth(arrays), rule(arrays).isEmpty(), arrays);
            String objects = "{\"a\":".repeat(depth) + "[" + innermost + "]" + "}".repeat(depth);
            assertEquals(mySqlTakesDepth(objects), rule(objects).isEmpty(), objects);
        }
    }

    private static void assertKinds(Set<Answers> expected, Map<Answers, List<String>> found) {
        String examples = found.entrySet().stream()
                .map(kind -> kind.getKey() + " " + kind.getValue().size() + ", such as "
                        + kind.getValue().stream().limit(3).toList())
                .collect(Collectors.joining("\n"));
        assertEquals(expected, found.keySet(), () -> "seed " + SEED + "\n" + examples);
        assertTrue(found.get(Answers.BOTH_TAKE).size() > TEXTS / 10, examples);
        assertTrue(found.get(Answers.BOTH_REFUSE).size() > TEXTS / 10, examples);
    }

    private static Map<Answers, List<String>> compare(Supplier<String> texts, int count) throws SQLException {
        Map<Answers, List<String>> found = new EnumMap<>(Answers.class);
        for (int done = 0; done < count; done += TEXTS_PER_STATEMENT) {
            List<String> asked =
                    Stream.generate(texts).limit(TEXTS_PER_STATEMENT).toList();
            boolean[] taken = mySqlTakes(asked);
            IntStream.range(0, asked.size())
                    .boxed()
                    .collect(Collectors.groupingBy(
                            i -> answers(asked.get(i), taken[i]), Collectors.mapping(asked::get, Collectors.toList())))
                    .forEach((kind, some) -> found.merge(kind, some, JsonRulesIT::joined));
        }
        return found;
    }

    private static List<String> joined(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    private static Answers answers(String json, boolean mySqlTakes) {
        String refusal = rule(json).orElse(null);
        if (refusal == null) {
            return mySqlTakes ? Answers.BOTH_TAKE : Answers.ONLY_MYSQL_REFUSES;
        }
        if (!mySqlTakes) {
            return Answers.BOTH_REFUSE;
        }
        if (refusal.startsWith("must not repeat a key")) {
            return Answers.REPEATED_KEY;
        }
        if (refusal.startsWith("must hold no number")
                && LONG_INTEGER_TAKEN_BACK.matcher(json).find()) {
            return Answers.INTEGER_PART;
        }
        int nul = json.indexOf('\0');
        return nul > 0 && rule(json.substring(0, nul)).isEmpty() ? Answers.NUL_AFTER_VALUE : Answers.ONLY_WE_REFUSE;
    }

    private static Optional<String> rule(String json) {
        try {
            JsonRules.check("payload", json, JsonRules.MAX_DEPTH);
            return Optional.empty();
        } catch (InvalidInputException refused) {
            return Optional.of(refused.rule());
        }
    }

    private static boolean[] mySqlTakes(List<String> texts) throws SQLException {
        String sql = IntStream.range(0, texts.size())
                .mapToObj(i -> "ROW(" + i + ", JSON_VALID(?))")
                .collect(Collectors.joining(", ", "VALUES ", ""));
        boolean[] taken = new boolean[texts.size()];
        try (PreparedStatement values = connection.prepareStatement(sql)) {
            for (int i = 0; i < texts.size(); i++) {
                values.setString(i + 1, texts.get(i));
            }
            try (ResultSet rows = values.executeQuery()) {
                int read = 0;
                for (; rows.next(); read++) {
                    taken[rows.getInt(1)] = rows.getBoolean(2);
                }
                assertEquals(texts.size(), read);
            }
        }
        return taken;
    }

    private static boolean mySqlTakesDepth(String json) {
        try {
            return mySqlTakes(List.of(json))[0];
        } catch (SQLException tooDeep) {
            assertEquals(ER_JSON_DOCUMENT_TOO_DEEP, tooDeep.getErrorCode());
            return false;
        }
    }
}
