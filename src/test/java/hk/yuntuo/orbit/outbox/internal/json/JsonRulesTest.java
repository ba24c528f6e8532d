package hk.yuntuo.orbit.outbox.internal.json;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRulesTest {
    private static final String NOT_JSON = "must be one strict JSON value";
    private static final String HALF_RAW = "must be valid Unicode, but has half a surrogate pair at index ";
    private static final String HALF_ESCAPED = "must be valid Unicode, but has half a surrogate pair as an escape";
    private static final String REPEATED = "must not repeat a key in one object";
    private static final String NUMBER = "must hold no number outside a double's range, as MySQL reads it";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "\"\"",
                "0",
                "-0",
                "true",
                "false",
                "null",
                " \t\r\n1 \t\r\n",
                "\"\\u0000\"",
                "\"\u007f\"",
                "\"\\ud83d\\ude00\"",
                "\"\ud83d\ude00\"",
                "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00Aa\"",
                "\"\ufeff\u2028\uffff\"",
                "{\"a\":1,\"A\":1,\"\":1,\"a\\u0000\":1}",
                "[{\"a\":1},{\"a\":1}]",
                "{\"a\":{\"a\":{\"a\":1}},\"b\":[]}",
                "1.10",
                "9007199254740993",
                "1e308",
                "1e-400",
                "{\"\ud83d\ude00\":[1,-1.5E+3,\"x\"]}"
            })
    void takesStrictJson(String json) {
        assertDoesNotThrow(() -> JsonRules.check("payload", json, 3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\n",
                "{",
                "[",
                "}",
                "]",
                "\"",
                "\"a",
                "[1",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":1",
                "[1,]",
                "[,1]",
                "[1 2]",
                "{\"a\":1,}",
                "{,}",
                "{a:1}",
                "{'a':1}",
                "{1:1}",
                "'a'",
                "tru",
                "TRUE",
                "nul",
                "undefined",
                "NaN",
                "Infinity",
                "-Infinity",
                "+1",
                "01",
                "-01",
                "00",
                "-",
                "--1",
                ".5",
                "1.",
                "1.e1",
                "1e",
                "1e+",
                "0x10",
                "1_000",
                "1f",
                "\"\t\"",
                "\"\n\"",
                "\"\u0000\"",
                "\"\\x\"",
                "\"\\u12\"",
                "\"\\u00g0\"",
                "\"\\'\"",
                "/*a*/1",
                "1//a",
                "#a\n1",
                "\ufeff1",
                "\ufeff{}",
                "\u00a01",
                "\u20281",
                "\u000b1",
                "\f1",
                "\u001e1",
                "1\u0000",
                "{}\u0000x",
                "1 2",
                "1,2",
                "{}{}",
                "[][]",
                "[]]",
                "{}}",
                "1]",
                "\"a\"\"b\"",
                "null null",
                "[1}",
                "{\"a\":1]",
                "=1",
                "1;"
            })
    void refusesEverythingElse(String json) {
        InvalidInputException refused = refused(json, 100);
        assertTrue(refused.rule().startsWith(NOT_JSON), refused.rule());
    }

    static Stream<Arguments> rulesAndPlaces() {
        return Stream.of(
                Arguments.of("{\"a\":1,\"a\":2}", REPEATED + " (line 1, column 8)"),
                Arguments.of("{\"a\":1,\"\\u0061\":2}", REPEATED + " (line 1, column 8)"),
                Arguments.of("[{},{\n \"\":1,\n \"\":2}]", REPEATED + " (line 3, column 2)"),
                Arguments.of("{\"a\":{\"b\":1},\"a\":2}", REPEATED + " (line 1, column 14)"),
                Arguments.of("\"\ud800\"", HALF_RAW + 1),
                Arguments.of("\"\udc00\ud800\"", HALF_RAW + 1),
                Arguments.of("\"ab\ud83d\ude00\ud83d\"", HALF_RAW + 5),
                Arguments.of("{\"\udfff\":1}", HALF_RAW + 2),
                Arguments.of("\"\ud83d" + "\\ude00\"", HALF_RAW + 1),
                Arguments.of("\"\\ud83d\ude00\"", HALF_RAW + 7),
                Arguments.of("1\ud800", HALF_RAW + 1),
                Arguments.of("\"\\ud800\"", HALF_ESCAPED + " (line 1, column 1)"),
                Arguments.of("[1,\n\"\\uDC00\"]", HALF_ESCAPED + " (line 2, column 1)"),
                Arguments.of("\"\\ude00\\ud83d\"", HALF_ESCAPED + " (line 1, column 1)"),
                Arguments.of("\"\\ud83dx\\ude00\"", HALF_ESCAPED + " (line 1, column 1)"),
                Arguments.of("\"\\ud83d\ud83d\ude00\"", HALF_ESCAPED + " (line 1, column 1)"),
                Arguments.of("1e309", NUMBER + " (line 1, column 1)"),
                Arguments.of("{\"a\":[0,\n  0e400]}", NUMBER + " (line 2, column 3)"),
                Arguments.of("1" + "0".repeat(309), NUMBER + " (line 1, column 1)"),
                Arguments.of("{\"a\":1", NOT_JSON + " (line 1, column 7)"),
                Arguments.of("1\n2", NOT_JSON + ", but goes on after it (line 2, column 1)"),
                Arguments.of(" ", NOT_JSON + ", but is empty"));
    }

    @ParameterizedTest
    @MethodSource("rulesAndPlaces")
    void namesTheRuleAndThePlace(String json, String rule) {
        InvalidInputException refused = refused(json, 100);
        assertEquals(rule, refused.rule());
        assertEquals("payload", refused.field());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"secret\":1,\"secret\":2}", "[secret]", "\"secret\\x", "{\"secret\":\"\\ud800\"}", "secret"})
    void showsNothingOfTheText(String json) {
        InvalidInputException refused = refused(json, 100);
        assertFalse(refused.getMessage().contains("secret"), refused.getMessage());
        assertNull(refused.getCause());
    }

    /** Some releases of Jackson refuse it themselves, as no JSON. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"\\udbff\":1}", "{\"\\udc00\":1}", "{\"\\ud83dx\\ude00\":1}"})
    void refusesHalfAPairEscapedInAKey(String json) {
        assertEquals("payload", refused(json, 100).field());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 99, 100, 1_000})
    void countsOpenArraysAndObjectsAsLevels(int maxDepth) {
        for (String scalar : new String[] {"1", "\"a\"", "null"}) {
            assertDoesNotThrow(() -> JsonRules.check("payload", arrays(maxDepth, scalar), maxDepth));
            assertDoesNotThrow(() -> JsonRules.check("payload", objects(maxDepth, scalar), maxDepth));
            assertEquals(
                    tooDeep(maxDepth),
                    refused(arrays(maxDepth + 1, scalar), maxDepth).rule());
        }
        assertDoesNotThrow(() -> JsonRules.check("payload", "[" + arrays(maxDepth, "1") + ",[[1]]]", maxDepth + 3));
        assertEquals(
                tooDeep(maxDepth), refused(arrays(maxDepth, "{}"), maxDepth).rule());
        assertEquals(
                tooDeep(maxDepth), refused(arrays(maxDepth, "[]"), maxDepth).rule());
    }

    private static InvalidInputException refused(String json, int maxDepth) {
        return assertThrows(InvalidInputException.class, () -> JsonRules.check("payload", json, maxDepth));
    }

    private static String tooDeep(int maxDepth) {
        return "must be at most " + maxDepth + " levels deep (line 1, column " + (maxDepth + 1) + ")";
    }

    private static String arrays(int depth, String inner) {
        return "[".repeat(depth) + inner + "]".repeat(depth);
    }

    private static String objects(int depth, String inner) {
        return "{\"a\":".repeat(depth) + inner + "}".repeat(depth);
    }
}
