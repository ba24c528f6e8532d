package hk.yuntuo.orbit.outbox.testing;

/** The calls of the contract, and the scope each needs. */
public enum OrbitCall {
    /** {@code GET /v1/queues/{id}}. */
    GET_QUEUE(OrbitScope.QUEUES_READ),
    /** {@code POST /v1/tasks}. */
    SUBMIT(OrbitScope.TASKS_SUBMIT),
    /** {@code GET /v1/tasks/{id}}. */
    GET_TASK(OrbitScope.TASKS_READ),
    /** {@code POST /v1/tasks/{id}/cancel}. */
    CANCEL(OrbitScope.TASKS_CANCEL);

    private final OrbitScope scope;

    OrbitCall(OrbitScope scope) {
        this.scope = scope;
    }

    OrbitScope scope() {
        return scope;
    }
}
