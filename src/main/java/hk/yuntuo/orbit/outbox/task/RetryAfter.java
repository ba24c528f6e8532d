package hk.yuntuo.orbit.outbox.task;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads {@code Retry-After} (RFC 9110, section 10.2.3) in both forms. A date is taken relative to the answer's own {@code Date}, so
 * that no clock of this machine is involved. What cannot be read is as if it were not there.
 */
final class RetryAfter {
    /** Long past what the rules ever wait; it keeps absurd values from overflowing. */
    static final Duration LONGEST = Duration.ofDays(1);

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");
    private static final Pattern IMF_FIXDATE =
            Pattern.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT");
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.RFC_1123_DATE_TIME.withResolverStyle(ResolverStyle.STRICT);

    private RetryAfter() {}

    /** The wait: zero to one day; empty if there is no single readable value. */
    static Optional<Duration> read(List<String> retryAfter, List<String> date) {
        if (retryAfter.size() != 1) {
            return Optional.empty();
        }
        String value = retryAfter.get(0);
        if (SECONDS.matcher(value).matches()) {
            return Optional.of(seconds(value));
        }
        Optional<Instant> now = date.size() == 1 ? instant(date.get(0)) : Optional.empty();
        return now.flatMap(from -> instant(value).map(to -> bounded(Duration.between(from, to))));
    }

    private static Duration seconds(String digits) {
        String significant = digits.replaceFirst("^0+(?=.)", "");
        return significant.length() > 9 ? LONGEST : bounded(Duration.ofSeconds(Long.parseLong(significant)));
    }

    private static Duration bounded(Duration wait) {
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    private static Optional<Instant> instant(String text) {
        if (!IMF_FIXDATE.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(DATE.parse(text, Instant::from));
        } catch (DateTimeException noSuchDate) {
            return Optional.empty();
        }
    }
}
