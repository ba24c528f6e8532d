package hk.yuntuo.orbit.outbox.support;

import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequestBuilder;

/** Requests of the tests. */
public final class Requests {
    public static final String NAMESPACE = "ns-1";
    public static final String QUEUE = "queue-1";

    private Requests() {}

    public static SubmitTaskRequest of(String payload) {
        return builder(payload).build();
    }

    public static SubmitTaskRequestBuilder builder(String payload) {
        return SubmitTaskRequest.builder()
                .queueId(QUEUE)
                .handler("object.prepare")
                .handlerVersion("v1")
                .payloadVersion("v1")
                .payload(payload);
    }
}
