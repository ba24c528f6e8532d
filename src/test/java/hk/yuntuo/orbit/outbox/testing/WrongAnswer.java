package hk.yuntuo.orbit.outbox.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Faults that handle the request as usual (a submission creates its task, unless it is refused) and then answer what no client
 * should take at its word.
 */
public final class WrongAnswer {
    private WrongAnswer() {}

    /**
     * The answer names another namespace. Accepted, in the right one.
     *
     * @param namespaceId the namespace to name
     * @return the fault
     */
    public static Fault otherNamespace(String namespaceId) {
        return edited("otherNamespace", body -> body.put("namespace_id", namespaceId));
    }

    /**
     * The answer names another queue. Accepted, in the right one.
     *
     * @param queueId the queue to name
     * @return the fault
     */
    public static Fault otherQueue(String queueId) {
        return edited("otherQueue", body -> body.put(body.has("queue_id") ? "queue_id" : "id", queueId));
    }

    /**
     * The receipt names another idempotency key. Accepted, under the right one.
     *
     * @param submissionKey the key to name
     * @return the fault
     */
    public static Fault otherKey(String submissionKey) {
        return edited("otherKey", body -> body.put("idempotency_key", submissionKey));
    }

    /**
     * A field of the answer has another value. Accepted.
     *
     * @param field the field, replaced or added
     * @param json its value, as JSON
     * @return the fault
     */
    public static Fault withField(String field, String json) {
        JsonNode value = parsed(json.getBytes(StandardCharsets.UTF_8));
        return edited("withField " + field, body -> body.set(field, value));
    }

    /**
     * A field of the answer is missing. Accepted.
     *
     * @param field the field
     * @return the fault
     */
    public static Fault withoutField(String field) {
        return edited("withoutField " + field, body -> body.remove(field));
    }

    /**
     * The status and content type of a success, and a body that is not JSON. Accepted.
     *
     * @return the fault
     */
    public static Fault garbage() {
        return withBody("garbage", "<html>welcome</html>".getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The status and content type of a success, and these bytes as its body. Accepted.
     *
     * @param body the body
     * @return the fault
     */
    public static Fault body(byte[] body) {
        return withBody("body", body.clone());
    }

    /**
     * The first half of the answer, announced as the whole: well-formed HTTP, but no JSON. Accepted.
     *
     * @return the fault
     */
    public static Fault truncated() {
        return Fault.acceptThen(
                "truncated", answer -> answer.withBody(Arrays.copyOf(answer.body(), answer.body().length / 2)));
    }

    /**
     * The answer, but its content type is text/plain. Accepted.
     *
     * @return the fault
     */
    public static Fault contentType() {
        return Fault.acceptThen("contentType", answer -> answer.withHeader("Content-Type", "text/plain"));
    }

    /**
     * The answer, with spaces after it. Accepted.
     *
     * @param bytes how many spaces
     * @return the fault
     */
    public static Fault oversize(int bytes) {
        return Fault.acceptThen("oversize", answer -> {
            byte[] padded = Arrays.copyOf(answer.body(), answer.body().length + bytes);
            Arrays.fill(padded, answer.body().length, padded.length, (byte) ' ');
            return answer.withBody(padded);
        });
    }

    /**
     * Status 302 to another place. Accepted.
     *
     * @param location the place
     * @return the fault
     */
    public static Fault redirect(URI location) {
        return redirect(302, location);
    }

    /**
     * A redirect to another place. Accepted.
     *
     * @param status the status, such as 307, which asks for the same request there
     * @param location the place
     * @return the fault
     */
    public static Fault redirect(int status, URI location) {
        return Fault.acceptThen(
                "redirect " + status, answer -> Answer.bare(status).withHeader("Location", location.toString()));
    }

    /**
     * Status 204 without a body. Accepted.
     *
     * @return the fault
     */
    public static Fault noContent() {
        return Fault.acceptThen("noContent", answer -> Answer.bare(204));
    }

    private static Fault withBody(String name, byte[] body) {
        return Fault.acceptThen(name, answer -> answer.withBody(body));
    }

    private static Fault edited(String name, Consumer<ObjectNode> edit) {
        return Fault.acceptThen(name, answer -> {
            ObjectNode body = (ObjectNode) parsed(answer.body());
            edit.accept(body);
            return answer.withBody(body.toString().getBytes(StandardCharsets.UTF_8));
        });
    }

    private static JsonNode parsed(byte[] json) {
        try {
            return Answer.JSON.readTree(json);
        } catch (IOException notJson) {
            throw new UncheckedIOException(notJson);
        }
    }
}
