package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final String NOW = "Mon, 30 Nov 2026 08:00:00 GMT";

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "7, PT7S",
        "007, PT7S",
        "3600, PT1H",
        "86400, PT24H",
        "86401, PT24H",
        "999999999, PT24H",
        "9223372036854775808, PT24H",
        "99999999999999999999999999999999999999, PT24H",
        "00000000000000000000000000000000000012, PT12S",
    })
    void secondsAreReadAndCappedAtOneDay(String value, Duration expected) {
        assertEquals(Optional.of(expected), RetryAfter.read(List.of(value), List.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Mon, 30 Nov 2026 08:00:00 GMT | PT0S",
                "Mon, 30 Nov 2026 08:00:09 GMT | PT9S",
                "Mon, 30 Nov 2026 07:59:59 GMT | PT0S",
                "Sun, 06 Nov 1994 08:49:37 GMT | PT0S",
                "Tue, 01 Dec 2026 09:00:00 GMT | PT24H",
                "Fri, 31 Dec 9999 23:59:59 GMT | PT24H",
            })
    void datesAreReadRelativeToTheAnswersOwnDate(String value, Duration expected) {
        assertEquals(Optional.of(expected), RetryAfter.read(List.of(value), List.of(NOW)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-1",
                "+1",
                "1.5",
                "1e3",
                "0x10",
                "\u0661",
                "soon",
                "7, 8",
                "Mon, 30 Nov 2026 08:00:09",
                "Mon, 30 Nov 2026 08:00:09 UTC",
                "Mon, 30 Nov 2026 08:00:09 +0000",
                "mon, 30 nov 2026 08:00:09 gmt",
                "Tue, 30 Nov 2026 08:00:09 GMT",
                "Sun, 31 Nov 2026 08:00:09 GMT",
                "Mon, 30 Nov 2026 24:00:00 GMT",
                "Mon, 30 Nov 2026 08:00:60 GMT",
                "Mon, 3 Nov 2026 08:00:09 GMT",
                "Monday, 30-Nov-26 08:00:09 GMT",
                "Mon Nov 30 08:00:09 2026",
                "2026-11-30T08:00:09Z",
            })
    void anythingElseIsAsIfItWereNotThere(String value) {
        assertEquals(Optional.empty(), RetryAfter.read(List.of(value), List.of(NOW)));
    }

    @Test
    void aDateNeedsAReadableDateOfTheAnswer() {
        String later = "Mon, 30 Nov 2026 08:00:09 GMT";
        assertEquals(Optional.empty(), RetryAfter.read(List.of(later), List.of()));
        assertEquals(Optional.empty(), RetryAfter.read(List.of(later), List.of("today")));
        assertEquals(Optional.empty(), RetryAfter.read(List.of(later), List.of(NOW, NOW)));
    }

    @Test
    void severalValuesAreAsIfThereWereNone() {
        assertEquals(Optional.empty(), RetryAfter.read(List.of("7", "8"), List.of(NOW)));
        assertEquals(Optional.empty(), RetryAfter.read(List.of(), List.of(NOW)));
    }
}
