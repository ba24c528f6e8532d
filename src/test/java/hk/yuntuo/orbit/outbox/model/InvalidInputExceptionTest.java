package hk.yuntuo.orbit.outbox.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class InvalidInputExceptionTest {
    static Stream<Arguments> valuesAndWhatIsShown() {
        return Stream.of(
                Arguments.of("plain value", "\"plain value\""),
                Arguments.of("", "\"\""),
                Arguments.of(42, "\"42\""),
                Arguments.of("line\nbreak\r\tnul\0", "\"line\\u000abreak\\u000d\\u0009nul\\u0000\""),
                Arguments.of("\u001b[31mred", "\"\\u001b[31mred\""),
                Arguments.of("a\"b\\c", "\"a\\u0022b\\u005cc\""),
                Arguments.of("~\u007f\u0085\u00a0", "\"~\\u007f\\u0085\\u00a0\""),
                Arguments.of("\u202egnp.exe", "\"\\u202egnp.exe\""),
                Arguments.of("\u4e2d\u6587", "\"\\u4e2d\\u6587\""),
                Arguments.of("\ud83d\ude00", "\"\\ud83d\\ude00\""),
                Arguments.of("\ud800", "\"\\ud800\""),
                Arguments.of("x".repeat(40), "\"" + "x".repeat(40) + "\""),
                Arguments.of("x".repeat(41), "\"" + "x".repeat(40) + "\"..."),
                Arguments.of("x".repeat(39) + "\ud83d\ude00", "\"" + "x".repeat(39) + "\\ud83d\"..."),
                Arguments.of("\0".repeat(1_000_000), "\"" + "\\u0000".repeat(40) + "\"..."));
    }

    @ParameterizedTest
    @MethodSource("valuesAndWhatIsShown")
    void theMessageShowsTheValueEscapedAndCut(Object value, String shown) {
        InvalidInputException error = new InvalidInputException("handler", "must be short", value);
        assertEquals("handler must be short, was " + shown, error.getMessage());
        assertTrue(error.getMessage().chars().allMatch(c -> c >= ' ' && c < 0x7f));
    }

    @Test
    void withoutAValueTheMessageShowsNone() {
        assertEquals("payload must be JSON", new InvalidInputException("payload", "must be JSON", null).getMessage());
    }

    @Test
    void carriesFieldAndRuleAndNoOperation() {
        InvalidInputException error = new InvalidInputException("handler", "must be short", "x");
        assertEquals("handler", error.field());
        assertEquals("must be short", error.rule());
        assertTrue(error.operationId().isEmpty());
        assertTrue(error.resultCode().isEmpty());
        assertNull(error.getCause());
    }
}
