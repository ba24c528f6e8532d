package hk.yuntuo.orbit.outbox.internal.freeze;

/** The former place of {@link hk.yuntuo.orbit.outbox.internal.json.JsonRules}. */
public final class JsonRules {
    /** See {@link hk.yuntuo.orbit.outbox.internal.json.JsonRules#MAX_DEPTH}. */
    public static final int MAX_DEPTH = hk.yuntuo.orbit.outbox.internal.json.JsonRules.MAX_DEPTH;

    private JsonRules() {}

    /**
     * See {@link hk.yuntuo.orbit.outbox.internal.json.JsonRules#check}.
     *
     * @param field the name of what it was given as, for the message
     * @param json the text
     * @param maxDepth how deep it may be
     */
    public static void check(String field, String json, int maxDepth) {
        hk.yuntuo.orbit.outbox.internal.json.JsonRules.check(field, json, maxDepth);
    }
}
