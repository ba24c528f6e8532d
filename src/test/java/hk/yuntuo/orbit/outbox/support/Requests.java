package hk.yuntuo.orbit.outbox.support;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequestBuilder;
import jakarta.persistence.EntityManagerFactory;

/** Requests of the tests, and the outbox they go to. */
public final class Requests {
    public static final String NAMESPACE = "ns-1";
    public static final String QUEUE = "queue-1";

    private Requests() {}

    /** The outbox of their queue. */
    public static Outbox outbox(EntityManagerFactory factory) {
        return Outbox.builder(factory).namespaceId(NAMESPACE).queueId(QUEUE).build();
    }

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
