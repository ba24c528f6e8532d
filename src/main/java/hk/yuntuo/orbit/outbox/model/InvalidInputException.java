package hk.yuntuo.orbit.outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * A value given to the outbox breaks a rule. It is raised before any SQL and before any network exchange; nothing was changed.
 */
public final class InvalidInputException extends OutboxException {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 40;

    /** The field's name. */
    private final String field;

    /** The rule it breaks. */
    private final String rule;

    /**
     * Creates the error.
     *
     * @param field the name of the field
     * @param rule the rule it breaks, readable after the field's name ("must be ...")
     * @param value the value, shown escaped and cut to 40 characters; null to show none (secrets, bodies)
     */
    public InvalidInputException(String field, String rule, @Nullable Object value) {
        super(field + " " + rule + (value == null ? "" : ", was " + shown(value.toString())), null, null, null);
        this.field = field;
        this.rule = rule;
    }

    /**
     * The field.
     *
     * @return its name
     */
    public String field() {
        return field;
    }

    /**
     * The rule.
     *
     * @return the rule the value breaks
     */
    public String rule() {
        return rule;
    }

    private static String shown(String value) {
        StringBuilder out = new StringBuilder("\"");
        value.chars().limit(SHOWN).forEach(c -> {
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                out.append((char) c);
            } else {
                out.append(String.format("\\u%04x", c));
            }
        });
        return out.append(value.length() > SHOWN ? "\"..." : "\"").toString();
    }
}
