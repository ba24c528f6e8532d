package hk.yuntuo.orbit.outbox.internal.json;

import java.math.BigDecimal;
import java.util.Random;

/** Texts that are JSON, nearly JSON, or just past a border of it; the same ones for the same seed. Never half a surrogate pair as it is. */
final class RandomJson {
    private static final String GREATEST_DOUBLE = new BigDecimal(Double.MAX_VALUE).toPlainString();
    private static final String[] INTEGER_BORDERS = {
        "2147483647",
        "2147483648",
        "4294967295",
        "9007199254740991",
        "922337203685477580",
        "9223372036854775807",
        "9223372036854775808",
        "1844674407370955161",
        "18446744073709551615",
        "17976931348623157",
        "1"
    };
    private static final String[] ESCAPES = {
        "\\\"",
        "\\\\",
        "\\/",
        "\\b",
        "\\f",
        "\\n",
        "\\r",
        "\\t",
        "\\u0000",
        "\\u001f",
        "\\u00e9",
        "\\u4E2d",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "\\uDBFF\\uDFFF",
        "\\ud800\\u0041",
        "\\udc00\\ud800",
        "\\uD7FF",
        "\\ue000",
        "\\x",
        "\\u12",
        "\\'"
    };
    private static final String[] PLAIN = {
        "a",
        "B",
        "7",
        " ",
        "/",
        "'",
        "\u007f",
        "\u0085",
        "\u00e9",
        "\u2028",
        "\u4e2d",
        "\ufeff",
        "\ufffe",
        "\uffff",
        "\ud83d\ude00"
    };
    private static final String[] LITERALS = {"true", "false", "null", "0", "-1.5e3", "\"\"", "[]", "{}"};
    private static final int[] EDITS =
            "{}[],:\"\\/ \t\n\r\f\u000b\0\u001f\u007f\u00a0\u2028\ufeff\u4e2d\ud83d\ude00019.eE+-tfnNIu_#"
                    .codePoints()
                    .toArray();

    private final Random random;

    RandomJson(long seed) {
        random = new Random(seed);
    }

    /** A number by RFC 8259, most of them near a border of a double or of a 64-bit integer. */
    String number() {
        String sign = oneIn(3) ? "-" : "";
        return sign
                + switch (random.nextInt(6)) {
                    case 0 -> nearGreatestDouble();
                    case 1 -> zero();
                    case 2 ->
                        INTEGER_BORDERS[random.nextInt(INTEGER_BORDERS.length)]
                                + digits(random.nextInt(4))
                                + fraction(random.nextInt(25))
                                + nearExponent(290);
                    case 3 ->
                        oneIn(2)
                                ? nearOverflow()
                                : integer(1 + random.nextInt(330)) + fraction(random.nextInt(3)) + exponent();
                    case 4 ->
                        "0." + "0".repeat(random.nextInt(330)) + digits(1 + random.nextInt(25)) + nearExponent(480);
                    default -> integer(1 + random.nextInt(25)) + fraction(random.nextInt(25)) + exponent();
                };
    }

    /** A string in quotes, with escapes good and bad. */
    String string() {
        StringBuilder out = new StringBuilder("\"");
        for (int i = random.nextInt(6); i > 0; i--) {
            out.append(oneIn(2) ? pick(ESCAPES) : pick(PLAIN));
            if (oneIn(60)) {
                out.append((char) random.nextInt(0x20));
            }
        }
        return out.append('"').toString();
    }

    /** A small document: right, or with some characters deleted, inserted or replaced. */
    String document() {
        String json = value(3);
        for (int i = random.nextInt(3); i > 0; i--) {
            json = edited(json);
        }
        return json;
    }

    private String value(int depth) {
        if (depth == 0 || oneIn(4)) {
            return oneIn(4) ? string() : pick(LITERALS);
        }
        boolean object = oneIn(2);
        StringBuilder out = new StringBuilder(object ? "{" : "[");
        int size = random.nextInt(4);
        for (int i = 0; i < size; i++) {
            out.append(i > 0 ? "," : "").append(oneIn(8) ? " " : "");
            if (object) {
                out.append('"').append(pick(PLAIN)).append("\":");
            }
            out.append(value(depth - 1));
        }
        return out.append(object ? "}" : "]").toString();
    }

    private String edited(String json) {
        int length = json.codePointCount(0, json.length());
        int from = json.offsetByCodePoints(0, random.nextInt(length + 1));
        int to = from == json.length() || oneIn(3) ? from : json.offsetByCodePoints(from, 1);
        String inserted = oneIn(3) ? "" : Character.toString(EDITS[random.nextInt(EDITS.length)]);
        return json.substring(0, from) + inserted + json.substring(to);
    }

    private String nearGreatestDouble() {
        int same = 13 + random.nextInt(8);
        String number = GREATEST_DOUBLE.substring(0, same) + digits(309 - same);
        if (oneIn(2)) {
            return number + (oneIn(2) ? fraction(3) : "");
        }
        int kept = same + random.nextInt(9);
        if (oneIn(3)) {
            int zeros = random.nextInt(40);
            return "0." + "0".repeat(zeros) + number.substring(0, kept) + "e" + (309 + zeros);
        }
        int point = 1 + random.nextInt(kept - 1);
        return number.substring(0, point) + "." + number.substring(point, kept) + "e" + (309 - point);
    }

    private String nearOverflow() {
        int length = 1 + random.nextInt(309);
        return integer(length) + fraction(random.nextInt(3)) + "e" + Math.max(0, 307 - length + random.nextInt(4));
    }

    private String zero() {
        int places = random.nextInt(4) == 0 ? 1 + random.nextInt(600) : random.nextInt(4);
        return "0" + (places == 0 ? "" : "." + "0".repeat(places)) + "e" + (303 + places + random.nextInt(10));
    }

    private String integer(int length) {
        return (char) ('1' + random.nextInt(9)) + digits(length - 1);
    }

    private String fraction(int length) {
        return length == 0 ? "" : "." + digits(length);
    }

    private String exponent() {
        return switch (random.nextInt(5)) {
            case 0 -> "";
            case 1 -> "e" + random.nextInt(330);
            case 2 -> "E+" + "0".repeat(random.nextInt(12)) + random.nextInt(330);
            case 3 -> "e-" + random.nextInt(1_500);
            default -> (oneIn(4) ? "e" : "e-") + integer(1 + random.nextInt(12));
        };
    }

    private String nearExponent(int least) {
        return "e" + (least + random.nextInt(330 - Math.min(least, 300)));
    }

    private String digits(int count) {
        StringBuilder out = new StringBuilder(count);
        int kind = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            out.append((char) ('0' + (kind == 0 ? 0 : kind == 1 ? 9 : random.nextInt(10))));
        }
        return out.toString();
    }

    private String pick(String[] from) {
        return from[random.nextInt(from.length)];
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }
}
