package hk.yuntuo.orbit.examples.taskoutbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The model of an integration: business rows and the commands to submit their tasks commit together, and so do a task's acceptance and
 * its link in the business row. Both transactions lock the outbox row first and the business row second; keep to that order in every
 * transaction that touches both. Thread-safe.
 */
public final class JobService {
    /** More than a double holds: it arrives at the platform as it stands here, or the platform got another payload. */
    private static final long EXACT_INTEGER = 9_007_199_254_740_993L;

    private final EntityManagerFactory factory;
    private final Outbox outbox;

    /**
     * Binds the service to a unit, a namespace and a queue. It opens nothing.
     *
     * @param factory the unit with both tables; it stays the caller's to close
     * @param namespaceId the platform namespace
     * @param queueId the queue of its tasks
     */
    public JobService(EntityManagerFactory factory, String namespaceId, String queueId) {
        this.factory = factory;
        this.outbox = Outbox.builder(factory)
                .namespaceId(namespaceId)
                .queueId(queueId)
                .build();
    }

    /**
     * Saves a job and the command to submit its task in one transaction, once: the same content again is a duplicate, other content
     * under the same id a conflict. Returned means committed.
     *
     * @param operationId the operation, saved by the caller beforehand
     * @param sourceRef what to work on; see {@link SourceRef}
     * @return what was done
     */
    public EnqueueResult enqueue(String operationId, String sourceRef) {
        SourceRef source = new SourceRef(sourceRef);
        SubmitTaskRequest request = request(operationId, source);
        return outbox.transactions().inTransaction(operationId, em -> {
            EnqueueResult result = outbox.enqueue(em, operationId, request);
            if (result == EnqueueResult.INSERTED) {
                em.persist(new SenderJob(outbox.namespaceId(), operationId, source));
            } else {
                requireSame(em.find(SenderJob.class, key(operationId)), operationId, source);
            }
            return result;
        });
    }

    /**
     * Reads the command of an operation; read-only.
     *
     * @param operationId the operation
     * @return the outbox row as committed; empty if there is none
     */
    public Optional<OutboxRecord> status(String operationId) {
        return outbox.status(operationId);
    }

    /**
     * Reads the business row of an operation; read-only.
     *
     * @param operationId the operation
     * @return the row as committed; empty if there is none
     */
    public Optional<SenderJob> job(String operationId) {
        return outbox.transactions()
                .inTransaction(operationId, em -> Optional.ofNullable(em.find(SenderJob.class, key(operationId))));
    }

    /**
     * Makes a sender that records acceptances in the business rows. It opens nothing.
     *
     * @return a new sender for this service's namespace and queue
     */
    public OutboxSender sender() {
        return OutboxSender.builder(factory)
                .namespaceId(outbox.namespaceId())
                .queueId(outbox.queueId())
                .onAccepted(this::recordTask)
                .build();
    }

    private void recordTask(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) {
        SenderJob job = em.find(SenderJob.class, key(record.operationId()));
        if (job == null) {
            throw new IllegalStateException("Operation " + record.operationId() + " has no row in sender_jobs");
        }
        job.accepted(receipt.taskId());
    }

    private SubmitTaskRequest request(String operationId, SourceRef source) {
        return SubmitTaskRequest.builder()
                .queueId(outbox.queueId())
                .handler("object.prepare")
                .handlerVersion("v1")
                .payloadVersion("v1")
                .payload(JsonNodeFactory.instance
                        .objectNode()
                        .put("source_ref", source.value())
                        .put("exact_integer", EXACT_INTEGER))
                .businessKey(operationId)
                .taskTimeout(Duration.ofSeconds(60))
                .build();
    }

    /** The outbox compared the requests; the business rows are ours to compare. */
    private static void requireSame(@Nullable SenderJob stored, String operationId, SourceRef source) {
        if (stored == null || !stored.getSourceRef().equals(source.value())) {
            throw new OutboxConflictException(
                    "Operation " + operationId + (stored == null ? " has no business row" : " has another source_ref")
                            + " beside its stored command. Look at both rows, and do not hide the conflict behind a new id.",
                    operationId,
                    null);
        }
    }

    private SenderJobKey key(String operationId) {
        return new SenderJobKey(outbox.namespaceId(), operationId);
    }
}
