package hk.yuntuo.orbit.outbox.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hk.yuntuo.orbit.outbox.internal.json.JsonRules;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The JSON object of a success, read into the port's words. A field that is missing or has another type leaves the call unconfirmed;
 * fields we do not know are allowed. Whether a receipt names our namespace, queue and key is not judged here.
 */
final class Reply {
    private static final Pattern TASK_ID = Pattern.compile("[!-~]{1,128}");

    private final String call;
    private final String json;
    private final ObjectNode object;

    private Reply(String call, String json, ObjectNode object) {
        this.call = call;
        this.json = json;
        this.object = object;
    }

    static Reply of(String call, String json) {
        ObjectNode object = StrictJson.object(json)
                .orElseThrow(() -> unreadable(call, "the body is not one strict JSON object", null));
        return new Reply(call, json, object);
    }

    Queue queue() {
        return new Queue(text("id"), text("namespace_id"));
    }

    Task task() {
        return new Task(taskId(), text("namespace_id"), text("queue_id"), text("status"));
    }

    SubmitTaskResult receipt() {
        try {
            JsonRules.check("receipt", json, JsonRules.MAX_DEPTH);
        } catch (InvalidInputException notStorable) {
            throw unreadable(call, "the receipt cannot be stored", notStorable);
        }
        return new SubmitTaskResult(
                taskId(),
                text("namespace_id"),
                text("queue_id"),
                text("idempotency_key"),
                flag("deduplicated"),
                instant("accepted_at"),
                json);
    }

    private String taskId() {
        String id = text("task_id");
        if (!TASK_ID.matcher(id).matches()) {
            throw wrong("task_id", "1 to 128 visible ASCII characters");
        }
        return id;
    }

    private String text(String field) {
        JsonNode value = object.get(field);
        if (value == null || !value.isTextual() || value.textValue().isEmpty()) {
            throw wrong(field, "a text that is not empty");
        }
        return value.textValue();
    }

    private boolean flag(String field) {
        JsonNode value = object.get(field);
        if (value == null || !value.isBoolean()) {
            throw wrong(field, "true or false");
        }
        return value.booleanValue();
    }

    private Instant instant(String field) {
        try {
            return Instant.parse(text(field));
        } catch (DateTimeException notAnInstant) {
            throw wrong(field, "an ISO 8601 instant");
        }
    }

    private TaskPlatformException wrong(String field, String rule) {
        return unreadable(call, "the field " + field + " is not " + rule, null);
    }

    private static TaskPlatformException unreadable(String call, String fault, @Nullable InvalidInputException cause) {
        return TaskPlatformException.unconfirmed(
                call + ": the platform's success cannot be read: " + fault + "; whether it took effect is unknown",
                cause);
    }
}
