package hk.yuntuo.orbit.outbox.internal.json;

/** Writes JSON strings in one fixed way, so that no release of a library changes the bytes of what is already stored. */
public final class JsonText {
    private JsonText() {}

    /**
     * Appends a string in quotes. Escaped are the quote, the backslash (a backslash before each) and U+0000 to U+001F ({@code
     * \}u and four lowercase digits); all else stays as it is.
     *
     * @param out where to
     * @param text the string, with whole surrogate pairs only
     */
    public static void appendString(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 0xf, 16));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
