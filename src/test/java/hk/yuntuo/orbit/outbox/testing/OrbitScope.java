package hk.yuntuo.orbit.outbox.testing;

/** What a credential may do. A sender needs {@link #QUEUES_READ} and {@link #TASKS_SUBMIT}. */
public enum OrbitScope {
    /** Read the credential's queue. */
    QUEUES_READ("queues:read"),
    /** Submit tasks to it. */
    TASKS_SUBMIT("tasks:submit"),
    /** Read tasks of the namespace. */
    TASKS_READ("tasks:read"),
    /** Cancel tasks of the namespace. */
    TASKS_CANCEL("tasks:cancel");

    private final String text;

    OrbitScope(String text) {
        this.text = text;
    }

    /**
     * The scope as the contract writes it.
     *
     * @return such as {@code tasks:submit}
     */
    public String text() {
        return text;
    }
}
