package hk.yuntuo.orbit.outbox.task;

import java.util.Objects;

/** A frozen submission: the idempotency key and the exact bytes to send under it. Immutable. */
public final class SubmitTaskCommand {
    private final String submissionKey;
    private final byte[] document;

    /**
     * Creates the command.
     *
     * @param submissionKey the idempotency key
     * @param document the frozen document, UTF-8 JSON; copied
     */
    public SubmitTaskCommand(String submissionKey, byte[] document) {
        this.submissionKey = Objects.requireNonNull(submissionKey, "submissionKey");
        this.document = document.clone();
    }

    /**
     * The idempotency key.
     *
     * @return the key, the same for every send of the operation
     */
    public String submissionKey() {
        return submissionKey;
    }

    /**
     * The frozen document.
     *
     * @return a copy of the bytes; they are sent as they are
     */
    public byte[] document() {
        return document.clone();
    }

    /** Leaves the document out. */
    @Override
    public String toString() {
        return "SubmitTaskCommand[submissionKey=" + submissionKey + ", " + document.length + " bytes]";
    }
}
