package hk.yuntuo.orbit.outbox.testing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the platform takes as a document of version 1: exactly the fields of the contract, each of its type. */
final class DocumentRules {
    private static final JsonMapper STRICT = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    // A payload's numbers and strings may have any length.
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNumberLength(Integer.MAX_VALUE)
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Set<String> FIELDS = Set.of(
            "document_version",
            "queue_id",
            "handler",
            "handler_version",
            "payload_version",
            "business_key",
            "task_timeout_ms",
            "delay_ms",
            "available_at",
            "start_deadline_at",
            "recovery_level",
            "attempt_policy",
            "payload");
    private static final Set<String> POLICY_FIELDS = Set.of("max_attempts", "first_backoff_ms", "max_backoff_ms");

    private DocumentRules() {}

    /** The queue the document names; throws the refusal if it breaks a rule. Whether there is such a queue is for the caller. */
    static String queueOf(byte[] document) {
        ObjectNode object = parsed(document);
        onlyKnown(object, FIELDS);
        if (integer(object, "document_version", 1) != 1) {
            throw new Refusal(422, "document_version_unknown", "Only document_version 1 is known.");
        }
        text(object, "handler");
        text(object, "handler_version");
        text(object, "payload_version");
        if (object.has("business_key")) {
            text(object, "business_key");
        }
        integer(object, "task_timeout_ms", 1);
        checkTimes(object);
        checkRecovery(object);
        if (!object.has("payload")) {
            throw invalid("payload", "is missing");
        }
        return text(object, "queue_id");
    }

    private static ObjectNode parsed(byte[] document) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(document))
                    .toString();
            if (STRICT.readTree(text) instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException notJson) {
            // Refused below: UTF-8 or JSON is broken.
        }
        throw new Refusal(400, "invalid_json", "The body must be one JSON object in UTF-8 without repeated keys.");
    }

    private static void checkTimes(ObjectNode object) {
        if (object.has("delay_ms") && object.has("available_at")) {
            throw invalid("delay_ms", "excludes available_at");
        }
        if (object.has("delay_ms")) {
            integer(object, "delay_ms", 0);
        }
        for (String field : new String[] {"available_at", "start_deadline_at"}) {
            if (object.has(field)) {
                instant(field, text(object, field));
            }
        }
    }

    private static void checkRecovery(ObjectNode object) {
        if (!Set.of("RERUN", "MANUAL").contains(text(object, "recovery_level"))) {
            throw invalid("recovery_level", "must be RERUN or MANUAL");
        }
        if (!(object.get("attempt_policy") instanceof ObjectNode policy)) {
            throw invalid("attempt_policy", "must be an object");
        }
        onlyKnown(policy, POLICY_FIELDS);
        integer(policy, "max_attempts", 1);
        integer(policy, "max_backoff_ms", integer(policy, "first_backoff_ms", 1));
    }

    private static void onlyKnown(ObjectNode object, Set<String> known) {
        object.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw invalid("a field", "is not known");
            }
        });
    }

    private static String text(ObjectNode object, String field) {
        @Nullable JsonNode value = object.get(field);
        if (value == null || !value.isTextual() || value.textValue().isEmpty()) {
            throw invalid(field, "must be a text that is not empty");
        }
        return value.textValue();
    }

    private static long integer(ObjectNode object, String field, long least) {
        @Nullable JsonNode value = object.get(field);
        if (value == null || !value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < least) {
            throw invalid(field, "must be an integer of at least " + least);
        }
        return value.longValue();
    }

    private static void instant(String field, String value) {
        try {
            Instant.parse(value);
        } catch (DateTimeException notAnInstant) {
            throw invalid(field, "must be an ISO 8601 instant");
        }
        if (!value.endsWith("Z")) {
            throw invalid(field, "must be in UTC");
        }
    }

    private static Refusal invalid(String field, String rule) {
        return new Refusal(422, "invalid_document", field + " " + rule + ".");
    }
}
