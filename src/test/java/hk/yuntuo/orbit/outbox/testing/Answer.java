package hk.yuntuo.orbit.outbox.testing;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** An answer before it goes on the wire. */
record Answer(int status, Map<String, String> headers, byte[] body) {
    static final JsonMapper JSON = JsonMapper.builder().build();

    static Answer json(int status, ObjectNode body) {
        return new Answer(
                status,
                Map.of("Content-Type", "application/json"),
                body.toString().getBytes(StandardCharsets.UTF_8));
    }

    static Answer error(int status, String code, String message) {
        return json(status, JSON.createObjectNode().put("code", code).put("message", message));
    }

    static Answer bare(int status) {
        return new Answer(status, Map.of(), new byte[0]);
    }

    Answer withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, more, body);
    }

    Answer withBody(byte[] other) {
        return new Answer(status, headers, other);
    }
}
