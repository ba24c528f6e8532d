package hk.yuntuo.orbit.outbox.internal.json;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JsonRulesLargeTextTest {
    private static final int MIB = 1 << 20;

    @Test
    void textsOf16MibPass() {
        String long16 = "a".repeat(16 * MIB);
        assertDoesNotThrow(() -> JsonRules.check("payload", "\"" + long16 + "\"", 0));
        assertDoesNotThrow(() -> JsonRules.check("payload", "{\"" + long16 + "\":0." + "1".repeat(MIB) + "}", 1));
    }

    static Stream<Arguments> hostileTexts() {
        return Stream.of(
                Arguments.of("a long number", "9".repeat(MIB)),
                Arguments.of("a long fraction", "0." + "9".repeat(MIB)),
                Arguments.of("a long exponent", "1e" + "9".repeat(MIB)),
                Arguments.of("open arrays", "[".repeat(MIB)),
                Arguments.of("deep arrays", arrays(MIB / 2, "1")),
                Arguments.of("deep objects", "{\"\":".repeat(MIB / 4)),
                Arguments.of("keys of equal hash", equalHashKeys(15)),
                Arguments.of("a large object, then small ones", largeThenSmall()),
                Arguments.of("many numbers", "[" + "1e308,".repeat(MIB / 6) + "1]"),
                Arguments.of("many escapes", "\"" + "\\ud83d\\ude00".repeat(MIB / 12) + "\""),
                Arguments.of("white space", " ".repeat(MIB)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostileTexts")
    void timeIsLinearForHostileText(String what, String json) {
        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> {
                    try {
                        JsonRules.check("payload", json, Integer.MAX_VALUE);
                    } catch (InvalidInputException answered) {
                        assertEquals("payload", answered.field(), what);
                    }
                },
                what);
    }

    private static String arrays(int depth, String inner) {
        return "[".repeat(depth) + inner + "]".repeat(depth);
    }

    /** "Aa" and "BB" have one hash, and so have all strings of them of one length. */
    private static String equalHashKeys(int pairs) {
        return IntStream.range(0, 1 << pairs)
                .mapToObj(n -> IntStream.range(0, pairs)
                        .mapToObj(bit -> (n >> bit & 1) == 0 ? "Aa" : "BB")
                        .collect(Collectors.joining("", "\"", "\":1")))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String largeThenSmall() {
        String large =
                IntStream.range(0, 50_000).mapToObj(n -> "\"" + n + "\":1").collect(Collectors.joining(",", "{", "}"));
        return "[" + large + ",{\"a\":1}".repeat(MIB / 16) + "]";
    }
}
