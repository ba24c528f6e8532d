package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManagerFactory;
import java.util.Map;

/** Units, outboxes and jobs of chosen queues. */
final class Queues {
    private Queues() {}

    static Map<String, Object> properties(String namespaceId, String queueIds) {
        return Map.of(OutboxUnit.NAMESPACE_ID, namespaceId, OutboxUnit.QUEUE_ID, queueIds);
    }

    static Outbox outbox(EntityManagerFactory unit, String namespaceId, String queueId) {
        return Outbox.builder(unit).namespaceId(namespaceId).queueId(queueId).build();
    }

    /** A job of a new operation whose request names the queue. */
    static AssignedJob job(String queueId) {
        return new AssignedJob(OperationId.next().value())
                .requesting(() -> Requests.builder("{}").queueId(queueId).build(), AssignedJob.class);
    }
}
