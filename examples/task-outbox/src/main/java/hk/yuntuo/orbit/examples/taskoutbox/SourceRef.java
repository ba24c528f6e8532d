package hk.yuntuo.orbit.examples.taskoutbox;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import org.jspecify.annotations.Nullable;

/**
 * What a job works on, such as the path of an object. It is part of the business identity, so nothing is trimmed, folded or repaired.
 *
 * @param value 1 to 512 Unicode code points, not all white space, without control characters and without half a surrogate pair
 */
public record SourceRef(String value) {
    private static final int MAX_CODE_POINTS = 512;

    /**
     * Checks the value.
     *
     * @throws InvalidInputException if it breaks a rule; its field is {@code sourceRef}
     */
    public SourceRef {
        if (value == null) {
            throw refused("must be given", null);
        }
        if (value.codePoints().anyMatch(SourceRef::isHalfOfAPair)) {
            throw refused("must be valid Unicode, without half a surrogate pair", value);
        }
        if (value.codePoints().anyMatch(Character::isISOControl)) {
            throw refused("must not hold control characters", value);
        }
        if (value.codePoints().allMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c))) {
            throw refused("must not be blank", value);
        }
        if (value.codePointCount(0, value.length()) > MAX_CODE_POINTS) {
            throw refused("must be at most " + MAX_CODE_POINTS + " Unicode code points", value);
        }
    }

    private static boolean isHalfOfAPair(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    private static InvalidInputException refused(String rule, @Nullable String value) {
        return new InvalidInputException("sourceRef", rule, value);
    }
}
