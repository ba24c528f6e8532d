package hk.yuntuo.orbit.outbox.internal.json;

/**
 * Which JSON numbers MySQL's JSON_VALID takes: found on MySQL 9.7, and held against the server by a test. MySQL reads numbers
 * with RapidJSON at its default precision, whose rule is not "the value is a finite double". It refuses, and so does this
 * class:
 *
 * <ul>
 *   <li>an integer part that overflows a double when read digit by digit, also if the exponent takes it back ({@code 1},
 *       400 zeros, {@code e-200}). This class refuses it always; RapidJSON takes it, as a zero, with an exponent below about
 *       -616, but did not in older releases.
 *   <li>a zero with an exponent above 308 plus the number of its fraction digits: {@code 0e309}, but not {@code 0.0e309}.
 *   <li>a number whose significand times ten to the power of what is left of the exponent overflows. The significand
 *       takes 17 to 20 digits (after 2^53 only up to the 18th; the rest of the fraction is cut), and the product is rounded a
 *       second time. So the border lies some units in the last place about the greatest double: {@code
 *       1.7976931348623157e308} is taken, {@code 17976931348623157000e289} is not.
 * </ul>
 *
 * Whatever is too small is a zero and taken. The arithmetic follows RapidJSON's operation by operation, because only that
 * gives the same border. (A server built with fused multiplication and addition may differ for an integer part of 309 digits,
 * in the 17th.)
 */
final class JsonNumbers {
    private static final int GREATEST_EXPONENT = 308;
    private static final int SIGNIFICAND_DIGITS = 17;
    private static final long EXACT_IN_DOUBLE = (1L << 53) - 1;
    private static final double[] POWERS_OF_TEN = powersOfTen();

    private final char[] text;
    private final int end;
    private int at;
    /** Unsigned; in use until the significand outgrows 64 bits. */
    private long exact;

    private double value;
    private boolean outgrown;
    /** Digits after the first significant one. */
    private int digits = -1;

    private int fractionDigits;

    private JsonNumbers(char[] text, int offset, int length) {
        this.text = text;
        this.at = offset;
        this.end = offset + length;
    }

    /** Whether MySQL takes the number, which must be one by RFC 8259. Linear in its length. */
    static boolean isTaken(char[] text, int offset, int length) {
        return new JsonNumbers(text, offset, length).fits();
    }

    private boolean fits() {
        readInteger(consume('-'));
        if (consume('.')) {
            readFraction();
        }
        if (!outgrown) {
            value = toDouble(exact);
        }
        if (Double.isInfinite(value)) {
            return false;
        }
        boolean hasExponent = consume('e') || consume('E');
        if (!hasExponent || consume('-')) {
            return true;
        }
        consume('+');
        int exponent = readExponent() - fractionDigits;
        return exponent <= 0 || exponent <= GREATEST_EXPONENT && Double.isFinite(value * POWERS_OF_TEN[exponent]);
    }

    private void readInteger(boolean negative) {
        // 2^63 and 2^64 - 1, less their last digit
        long limit = negative ? 922337203685477580L : 1844674407370955161L;
        int lastDigit = negative ? 8 : 5;
        for (; isDigit(); at++) {
            int digit = text[at] - '0';
            int compared = Long.compareUnsigned(exact, limit);
            if (!outgrown && (compared > 0 || compared == 0 && digit > lastDigit)) {
                outgrow();
            }
            if (outgrown) {
                value = value * 10 + digit;
            } else {
                exact = exact * 10 + digit;
                digits++;
            }
        }
    }

    private void readFraction() {
        if (!outgrown) {
            for (; isDigit() && Long.compareUnsigned(exact, EXACT_IN_DOUBLE) <= 0; at++) {
                exact = exact * 10 + text[at] - '0';
                fractionDigits++;
                digits += exact == 0 ? 0 : 1;
            }
            outgrow();
        }
        for (; isDigit(); at++) {
            if (digits < SIGNIFICAND_DIGITS) {
                value = value * 10 + (text[at] - '0');
                fractionDigits++;
                digits++;
            }
        }
    }

    /** The exponent, or anything far above the bound if it is above it. */
    private int readExponent() {
        int exponent = 0;
        for (; isDigit(); at++) {
            if (exponent <= GREATEST_EXPONENT + fractionDigits) {
                exponent = exponent * 10 + text[at] - '0';
            }
        }
        return exponent;
    }

    private void outgrow() {
        value = toDouble(exact);
        outgrown = true;
    }

    private boolean isDigit() {
        return at < end && text[at] >= '0' && text[at] <= '9';
    }

    private boolean consume(char expected) {
        boolean found = at < end && text[at] == expected;
        if (found) {
            at++;
        }
        return found;
    }

    private static double toDouble(long unsigned) {
        return unsigned >= 0 ? unsigned : Double.parseDouble(Long.toUnsignedString(unsigned));
    }

    private static double[] powersOfTen() {
        double[] powers = new double[GREATEST_EXPONENT + 1];
        for (int i = 0; i < powers.length; i++) {
            powers[i] = Double.parseDouble("1e" + i);
        }
        return powers;
    }
}
