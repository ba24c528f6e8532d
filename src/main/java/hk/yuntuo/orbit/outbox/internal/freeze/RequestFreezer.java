package hk.yuntuo.orbit.outbox.internal.freeze;

import hk.yuntuo.orbit.outbox.internal.json.JsonText;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Turns a request into its document, version 1. Equal requests give equal bytes, on every JVM, in every locale, charset and
 * time zone; the payload is in them as it was given, byte for byte. Thread-safe.
 *
 * <p>Stored documents are compared with newly frozen ones for ever. A change of order, form or default is therefore a new
 * {@code document_version}, never a change of this one.
 */
public final class RequestFreezer {
    /** The least limit that may be set, in bytes: 1 KiB. */
    public static final int LEAST_MAX_DOCUMENT_BYTES = 1_024;
    /** The limit by default, in bytes: 1 MiB. */
    public static final int DEFAULT_MAX_DOCUMENT_BYTES = 1_048_576;
    /** The greatest limit that may be set, in bytes: what a MEDIUMTEXT holds. */
    public static final int GREATEST_MAX_DOCUMENT_BYTES = 16_777_215;

    /** 2026-11-30T08:00:00.000001Z: UTC, always six digits. */
    private static final DateTimeFormatter MICROSECONDS =
            new DateTimeFormatterBuilder().appendInstant(6).toFormatter(Locale.ROOT);

    private final int maxDocumentBytes;

    /**
     * Creates a freezer.
     *
     * @param maxDocumentBytes the most bytes a document may have, {@value #LEAST_MAX_DOCUMENT_BYTES} to
     *     {@value #GREATEST_MAX_DOCUMENT_BYTES}
     * @throws InvalidInputException if the limit is out of bounds
     */
    public RequestFreezer(int maxDocumentBytes) {
        if (maxDocumentBytes < LEAST_MAX_DOCUMENT_BYTES || maxDocumentBytes > GREATEST_MAX_DOCUMENT_BYTES) {
            throw new InvalidInputException(
                    "maxDocumentBytes",
                    "must be between " + LEAST_MAX_DOCUMENT_BYTES + " and " + GREATEST_MAX_DOCUMENT_BYTES,
                    maxDocumentBytes);
        }
        this.maxDocumentBytes = maxDocumentBytes;
    }

    /**
     * Freezes a request.
     *
     * @param request the request
     * @return its document and digest
     * @throws InvalidInputException if the document has more bytes than the limit
     */
    public FrozenRequest freeze(SubmitTaskRequest request) {
        String head = head(request);
        String payload = request.payload();
        long size = utf8Length(head) + utf8Length(payload) + 1;
        if (size > maxDocumentBytes) {
            throw new InvalidInputException(
                    "request", "must be at most " + maxDocumentBytes + " bytes as a frozen document", size);
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) size);
        encode(head, bytes);
        encode(payload, bytes);
        bytes.put((byte) '}');
        return new FrozenRequest(bytes.array(), sha256(bytes.array()), request.queueId());
    }

    /**
     * The digest that is stored with a document, also to verify stored bytes before they are sent.
     *
     * @param document the bytes
     * @return their SHA-256, 64 lowercase hexadecimal digits
     */
    public static String sha256(byte[] document) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(document));
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }

    /** Everything up to the payload. */
    private static String head(SubmitTaskRequest request) {
        StringBuilder out = new StringBuilder(512).append("{\"document_version\":1");
        appendString(out, "queue_id", request.queueId());
        appendString(out, "handler", request.handler());
        appendString(out, "handler_version", request.handlerVersion());
        appendString(out, "payload_version", request.payloadVersion());
        request.businessKey().ifPresent(key -> appendString(out, "business_key", key));
        appendMillis(out, "task_timeout_ms", request.taskTimeout());
        request.delay().ifPresent(delay -> appendMillis(out, "delay_ms", delay));
        request.availableAt().ifPresent(instant -> appendInstant(out, "available_at", instant));
        request.startDeadlineAt().ifPresent(instant -> appendInstant(out, "start_deadline_at", instant));
        appendString(out, "recovery_level", request.recoveryLevel().name());
        out.append(",\"attempt_policy\":{\"max_attempts\":")
                .append(request.attemptPolicy().maxAttempts());
        appendMillis(out, "first_backoff_ms", request.attemptPolicy().firstBackoff());
        appendMillis(out, "max_backoff_ms", request.attemptPolicy().maxBackoff());
        return out.append("},\"payload\":").toString();
    }

    private static void appendString(StringBuilder out, String name, String value) {
        out.append(",\"").append(name).append("\":");
        JsonText.appendString(out, value);
    }

    private static void appendMillis(StringBuilder out, String name, Duration value) {
        out.append(",\"").append(name).append("\":").append(value.toMillis());
    }

    private static void appendInstant(StringBuilder out, String name, Instant value) {
        appendString(out, name, MICROSECONDS.format(value));
    }

    /** For text with whole surrogate pairs; each half counts for two of the pair's four bytes. */
    private static long utf8Length(String text) {
        long length = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                length += c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
            }
        }
        return length;
    }

    /** Straight into its place, without a copy in between. */
    private static void encode(String text, ByteBuffer bytes) {
        CoderResult end = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text), bytes, true);
        if (!end.isUnderflow()) {
            throw new IllegalStateException("Text of a request that has no UTF-8 form passed its checks: " + end);
        }
    }
}
