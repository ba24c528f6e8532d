package hk.yuntuo.orbit.outbox.model;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The identity of one business operation: 32 lowercase hexadecimal digits, chosen and stored by the caller <em>before</em> its first
 * attempt and used again, unchanged, for every repeat. Within a namespace it yields at most one platform task.
 *
 * @param value 32 lowercase hexadecimal digits
 */
public record OperationId(String value) {
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{32}");
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Clock WALL_CLOCK = Clock.systemUTC();

    /**
     * Checks the form.
     *
     * @param value 32 lowercase hexadecimal digits
     * @throws InvalidInputException if the value is not 32 lowercase hexadecimal digits
     */
    public OperationId {
        if (value == null || !FORM.matcher(value).matches()) {
            throw new InvalidInputException("operationId", "must be 32 lowercase hexadecimal digits", value);
        }
    }

    /**
     * Reads an id.
     *
     * @param text 32 lowercase hexadecimal digits; nothing is trimmed, folded or repaired
     * @return the id
     * @throws InvalidInputException if the text has another form
     */
    public static OperationId parse(String text) {
        return new OperationId(text);
    }

    /**
     * Makes a new id in the layout of a UUID version 7 (RFC 9562), without hyphens: 48 bits of the JVM's clock in milliseconds, then 74
     * random bits. Ids made later sort later, so rows are added near the end of the primary key. The order is a matter of speed only:
     * nothing depends on the clock being right. Thread-safe.
     *
     * @return a new id
     */
    public static OperationId next() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        long millis = WALL_CLOCK.millis();
        for (int i = 0; i < 6; i++) {
            bytes[i] = (byte) (millis >>> (40 - 8 * i));
        }
        bytes[6] = (byte) (0x70 | bytes[6] & 0x0f);
        bytes[8] = (byte) (0x80 | bytes[8] & 0x3f);
        return new OperationId(HexFormat.of().formatHex(bytes));
    }

    /** The 32 digits. */
    @Override
    public String toString() {
        return value;
    }
}
