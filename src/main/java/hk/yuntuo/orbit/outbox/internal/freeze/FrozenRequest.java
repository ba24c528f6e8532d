package hk.yuntuo.orbit.outbox.internal.freeze;

/**
 * A request as it is stored and sent for ever: UTF-8 bytes and their digest. Immutable as long as nobody writes into {@link
 * #bytes()}.
 */
public final class FrozenRequest {
    private final byte[] bytes;
    private final String sha256;
    private final String queueId;

    FrozenRequest(byte[] bytes, String sha256, String queueId) {
        this.bytes = bytes;
        this.sha256 = sha256;
        this.queueId = queueId;
    }

    /**
     * The document.
     *
     * @return the bytes themselves, not a copy, as a document may be large: read only, never to be handed out of the library
     */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * The digest of the bytes.
     *
     * @return 64 lowercase hexadecimal digits
     */
    public String sha256() {
        return sha256;
    }

    /**
     * The target queue that the document names.
     *
     * @return the queue's id
     */
    public String queueId() {
        return queueId;
    }

    /** Leaves the document out. */
    @Override
    public String toString() {
        return "FrozenRequest[queueId=" + queueId + ", " + bytes.length + " bytes, sha256=" + sha256 + "]";
    }
}
