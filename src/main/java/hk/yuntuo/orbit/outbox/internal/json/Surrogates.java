package hk.yuntuo.orbit.outbox.internal.json;

/** Tells text that has an UTF-8 form from text that has none. */
public final class Surrogates {
    private Surrogates() {}

    /**
     * Looks for half a surrogate pair.
     *
     * @param text the text
     * @return the index of the first char that is half of a pair without the other half; -1 if there is none
     */
    public static int indexOfLone(CharSequence text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean paired =
                        Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1));
                if (!paired) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }
}
