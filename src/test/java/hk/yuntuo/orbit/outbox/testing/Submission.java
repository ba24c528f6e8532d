package hk.yuntuo.orbit.outbox.testing;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /v1/tasks} as the simulator received it.
 *
 * @param number its place in the order of arrival, from 1
 * @param namespaceId the namespace of its credential; null if the credential is unknown
 * @param submissionKey its idempotency key; null if it had none
 * @param document the exact bytes of its body
 * @param outcome what became of it
 * @param taskId the task it created or repeated; null if none
 */
public record Submission(
        int number,
        @Nullable String namespaceId,
        @Nullable String submissionKey,
        byte[] document,
        SubmissionOutcome outcome,
        @Nullable String taskId) {

    /** Copies the bytes. */
    public Submission {
        document = document.clone();
    }

    /**
     * The exact bytes of the body.
     *
     * @return a copy
     */
    @Override
    public byte[] document() {
        return document.clone();
    }

    /**
     * The body as text.
     *
     * @return the bytes, read as UTF-8
     */
    public String documentText() {
        return new String(document, StandardCharsets.UTF_8);
    }

    /** Leaves the document out. */
    @Override
    public String toString() {
        return "Submission[number=" + number + ", namespaceId=" + namespaceId + ", submissionKey=" + submissionKey
                + ", " + document.length + " bytes, outcome=" + outcome + ", taskId=" + taskId + "]";
    }
}
