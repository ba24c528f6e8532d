package hk.yuntuo.orbit.outbox.model;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one form of namespace and queue ids: 1 to 64 characters of {@code A-Z a-z 0-9 . _ : -}. Nothing is trimmed, folded or
 * repaired, and upper and lower case are different ids. Thread-safe.
 */
public final class Identifiers {
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
    private static final String RULE = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : -";

    private Identifiers() {}

    /**
     * Checks a namespace id.
     *
     * @param value the namespace id
     * @return the value, unchanged
     * @throws InvalidInputException if it is null or has another form; its field is {@code namespaceId}
     */
    public static String namespaceId(@Nullable String value) {
        return checked("namespaceId", value);
    }

    /**
     * Checks a queue id.
     *
     * @param value the queue id
     * @return the value, unchanged
     * @throws InvalidInputException if it is null or has another form; its field is {@code queueId}
     */
    public static String queueId(@Nullable String value) {
        return checked("queueId", value);
    }

    private static String checked(String field, @Nullable String value) {
        if (value == null || !FORM.matcher(value).matches()) {
            throw new InvalidInputException(field, RULE, value);
        }
        return value;
    }
}
