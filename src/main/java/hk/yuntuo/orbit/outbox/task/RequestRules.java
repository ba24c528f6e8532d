package hk.yuntuo.orbit.outbox.task;

import com.fasterxml.jackson.databind.JsonNode;
import hk.yuntuo.orbit.outbox.internal.json.JsonRules;
import hk.yuntuo.orbit.outbox.internal.json.Surrogates;
import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The bounds of a request's fields. Each method returns its value unchanged, or throws an error that names the field. */
final class RequestRules {
    private static final Pattern HANDLER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
    private static final Pattern VERSION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,31}");
    private static final String FORM = " characters of A-Z a-z 0-9 . _ -, the first a letter or digit";
    private static final int GREATEST_BUSINESS_KEY = 256;
    /** No document is larger, whatever its limit; bounds the work of the checks. */
    static final int GREATEST_PAYLOAD_CHARS = 16_777_215;

    static final String PAYLOAD_SIZE_RULE = "must be at most " + GREATEST_PAYLOAD_CHARS + " bytes";
    /** The document around it is a level of its own. */
    static final int PAYLOAD_DEPTH = JsonRules.MAX_DEPTH - 1;

    static final Duration ONE_MILLI = Duration.ofMillis(1);
    private static final Duration THIRTY_DAYS = Duration.ofDays(30);
    private static final Instant FIRST_INSTANT = Instant.parse("2000-01-01T00:00:00Z");
    private static final Instant LAST_INSTANT = Instant.parse("9999-12-31T23:59:59.999999Z");
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private RequestRules() {}

    static <T> T notNull(String field, @Nullable T value) {
        if (value == null) {
            throw new InvalidInputException(field, "must not be null", null);
        }
        return value;
    }

    private static <T> T given(String field, @Nullable T value) {
        if (value == null) {
            throw new InvalidInputException(field, "must be given", null);
        }
        return value;
    }

    static String queueId(@Nullable String value) {
        return Identifiers.queueId(given("queueId", value));
    }

    static String handler(@Nullable String value) {
        return matching("handler", given("handler", value), HANDLER, "must be 1 to 128" + FORM);
    }

    static String version(String field, @Nullable String value) {
        return matching(field, given(field, value), VERSION, "must be 1 to 32" + FORM);
    }

    static @Nullable String businessKey(@Nullable String value) {
        if (value == null) {
            return null;
        }
        if (Surrogates.indexOfLone(value) >= 0) {
            throw new InvalidInputException("businessKey", "must be valid Unicode (half a surrogate pair)", value);
        }
        if (value.codePointCount(0, value.length()) > GREATEST_BUSINESS_KEY) {
            throw new InvalidInputException(
                    "businessKey", "must be at most " + GREATEST_BUSINESS_KEY + " Unicode code points", value);
        }
        if (value.codePoints().allMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c))) {
            throw new InvalidInputException("businessKey", "must not be blank", value);
        }
        if (value.codePoints().anyMatch(Character::isISOControl)) {
            throw new InvalidInputException("businessKey", "must not hold control characters", value);
        }
        return value;
    }

    static Duration taskTimeout(Duration value) {
        return duration("taskTimeout", value, ONE_MILLI, THIRTY_DAYS, "must be between 1 ms and 30 days");
    }

    static @Nullable Duration delay(@Nullable Duration value, @Nullable Instant availableAt) {
        if (value == null) {
            return null;
        }
        if (availableAt != null) {
            throw new InvalidInputException("delay", "must not be given together with availableAt", value);
        }
        return duration("delay", value, Duration.ZERO, THIRTY_DAYS, "must be between 0 and 30 days");
    }

    static Duration duration(String field, Duration value, Duration least, Duration greatest, String rule) {
        if (value.compareTo(least) < 0 || value.compareTo(greatest) > 0) {
            throw new InvalidInputException(field, rule, value);
        }
        if (value.getNano() % NANOS_PER_MILLI != 0) {
            throw new InvalidInputException(field, "must be in whole milliseconds", value);
        }
        return value;
    }

    static @Nullable Instant availableAt(@Nullable Instant value) {
        return value == null ? null : instant("availableAt", value);
    }

    static @Nullable Instant startDeadlineAt(@Nullable Instant value, @Nullable Instant availableAt) {
        if (value == null) {
            return null;
        }
        if (availableAt != null && !value.isAfter(availableAt)) {
            throw new InvalidInputException(
                    "startDeadlineAt", "must be after availableAt (" + availableAt + ")", value);
        }
        return instant("startDeadlineAt", value);
    }

    private static Instant instant(String field, Instant value) {
        if (value.isBefore(FIRST_INSTANT) || value.isAfter(LAST_INSTANT)) {
            throw new InvalidInputException(field, "must be between " + FIRST_INSTANT + " and " + LAST_INSTANT, value);
        }
        if (value.getNano() % NANOS_PER_MICRO != 0) {
            throw new InvalidInputException(field, "must be in whole microseconds", value);
        }
        return value;
    }

    static String payload(@Nullable String json, @Nullable JsonNode tree) {
        String text = tree != null ? PayloadTree.render(tree) : given("payload", json);
        if (text.length() > GREATEST_PAYLOAD_CHARS) {
            throw new InvalidInputException("payload", PAYLOAD_SIZE_RULE, null);
        }
        JsonRules.check("payload", text, PAYLOAD_DEPTH);
        return text;
    }

    private static String matching(String field, String value, Pattern form, String rule) {
        if (!form.matcher(value).matches()) {
            throw new InvalidInputException(field, rule, value);
        }
        return value;
    }
}
