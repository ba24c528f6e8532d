package hk.yuntuo.orbit.outbox.internal.json;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What MySQL 9.7 answered to these numbers; {@link JsonRulesIT} asks a server about thousands more. */
class JsonNumbersTest {
    private static final String GREATEST_DOUBLE = new BigDecimal(Double.MAX_VALUE).toPlainString();

    static Stream<String> taken() {
        return Stream.of(
                GREATEST_DOUBLE,
                "-" + GREATEST_DOUBLE,
                GREATEST_DOUBLE + ".5e0",
                "1" + zeros(308),
                "0." + zeros(500) + "1e500",
                "0." + zeros(500) + "e808",
                "1." + zeros(1_000) + "e308",
                "0." + zeros(100_000) + "1");
    }

    static Stream<String> refused() {
        return Stream.of(
                "1" + zeros(309),
                "-1" + zeros(309),
                "1" + zeros(400) + "e-200",
                "0." + zeros(500) + "e809",
                "1." + zeros(1_000) + "e309",
                "1e" + "9".repeat(100_000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "-0.0",
                "1.10",
                "9007199254740993",
                "18446744073709551615",
                "18446744073709551616",
                "-9223372036854775809",
                "1e308",
                "1E+308",
                "1e-400",
                "-1e-400",
                "1e000000000000000000308",
                "1e-99999999999999999999",
                "0e-99999999999999999999",
                "0e308",
                "0.0e309",
                "0.00e310",
                "0.0001e310",
                "0.0001e312",
                "1.7976931348623157e308",
                "1.79769313486231570e308",
                "17976931348623157e292",
                "179769313486231570e291",
                "179769313486231570000e288"
            })
    void takesWhatMySqlTakes(String number) {
        assertEquals(true, isTaken(number));
    }

    @ParameterizedTest
    @MethodSource("taken")
    void takesLongNumbersThatMySqlTakes(String number) {
        assertEquals(true, isTaken(number));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e309",
                "-1e309",
                "1e400",
                "0e309",
                "-0e309",
                "0e400",
                "0.0e310",
                "0.0001e313",
                "0.0002e312",
                "1.7976931348623158e308",
                "1797693134862315700e290",
                "17976931348623157000e289",
                "1e99999999999999999999"
            })
    void refusesWhatMySqlRefuses(String number) {
        assertEquals(false, isTaken(number));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesLongNumbersThatMySqlRefuses(String number) {
        assertEquals(false, isTaken(number));
    }

    @ParameterizedTest
    @ValueSource(strings = {"e-616", "e-617", "e-700", "e-99999999999"})
    void refusesAnIntegerPartBeyondADoubleWhateverTheExponent(String exponent) {
        assertEquals(false, isTaken("1" + zeros(400) + exponent));
    }

    @ParameterizedTest
    @ValueSource(strings = {"9", "0.", "1e", "0.0e-", "1e-"})
    void isLinearInTheLength(String start) {
        String number = start + "9".repeat(16_000_000);
        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(10), () -> isTaken(number));
    }

    private static boolean isTaken(String number) {
        char[] around = (" " + number + "9").toCharArray();
        return JsonNumbers.isTaken(around, 1, number.length());
    }

    private static String zeros(int count) {
        return "0".repeat(count);
    }
}
