package hk.yuntuo.orbit.outbox.testing;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A task of the simulator.
 *
 * @param taskId its id; ids of later tasks of one simulator sort later
 * @param namespaceId its namespace
 * @param queueId its queue
 * @param submissionKey the key it was accepted under
 * @param document the exact bytes it was accepted with
 * @param acceptedAt when it was accepted, by the simulator's clock
 * @param status {@code queued}, {@code cancelled} or {@code succeeded}
 */
public record SimulatedTask(
        String taskId,
        String namespaceId,
        String queueId,
        String submissionKey,
        byte[] document,
        Instant acceptedAt,
        String status) {

    static final String QUEUED = "queued";
    static final String CANCELLED = "cancelled";
    static final String SUCCEEDED = "succeeded";

    /** Copies the bytes. */
    public SimulatedTask {
        document = document.clone();
    }

    /**
     * The exact bytes the task was accepted with.
     *
     * @return a copy
     */
    @Override
    public byte[] document() {
        return document.clone();
    }

    /**
     * The document as text.
     *
     * @return the bytes, read as UTF-8
     */
    public String documentText() {
        return new String(document, StandardCharsets.UTF_8);
    }

    SimulatedTask withStatus(String next) {
        return new SimulatedTask(taskId, namespaceId, queueId, submissionKey, document, acceptedAt, next);
    }

    /** Leaves the document out. */
    @Override
    public String toString() {
        return "SimulatedTask[taskId=" + taskId + ", namespaceId=" + namespaceId + ", queueId=" + queueId
                + ", submissionKey=" + submissionKey + ", " + document.length + " bytes, status=" + status + "]";
    }
}
