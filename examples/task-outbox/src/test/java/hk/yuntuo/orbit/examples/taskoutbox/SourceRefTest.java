package hk.yuntuo.orbit.examples.taskoutbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SourceRefTest {
    private static final String EMOJI = "\uD83D\uDE00";

    @ParameterizedTest
    @ValueSource(strings = {"objects/input.txt", " x ", "对象/输入.txt", "a\u00a0b", "\u2028x", "e\u0301", EMOJI})
    void isKeptAsItIs(String value) {
        assertEquals(value, new SourceRef(value).value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", EMOJI})
    void mayHave512CodePoints(String codePoint) {
        new SourceRef(codePoint.repeat(512));
        refused("must be at most 512 Unicode code points", codePoint.repeat(513));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\u00a0", "\u3000 \u2003", "\u2028"})
    void isNotBlank(String value) {
        refused("must not be blank", value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D", "\uDE00", "a\uD83Db", "\uDE00\uD83D", "x\uD83D"})
    void hasNoHalfOfASurrogatePair(String value) {
        refused("must be valid Unicode, without half a surrogate pair", value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0000", "\n", "a\tb", "\u007f", "\u0085", "\u009f"})
    void hasNoControlCharacters(String value) {
        refused("must not hold control characters", value);
    }

    @ParameterizedTest
    @NullSource
    void mustBeGiven(String value) {
        refused("must be given", value);
    }

    private static void refused(String rule, String value) {
        InvalidInputException e = assertThrows(InvalidInputException.class, () -> new SourceRef(value));
        assertEquals("sourceRef", e.field());
        assertEquals(rule, e.rule());
    }
}
