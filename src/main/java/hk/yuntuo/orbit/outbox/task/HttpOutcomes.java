package hk.yuntuo.orbit.outbox.task;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What an answer means for the outbox. Pure: no I/O, no clock. Only a 200 or 201 with readable JSON is a success; only a 4xx is a
 * refusal; everything else leaves open whether the call took effect.
 */
final class HttpOutcomes {
    private static final Pattern JSON_TYPE = Pattern.compile("(?i)application/json[ \t]*(;.*)?");
    private static final Pattern CODE = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

    private HttpOutcomes() {}

    /** The text of a success; throws what any other answer means. */
    static String success(String call, HttpAnswer answer) {
        return switch (answer.status()) {
            case 200, 201 -> readable(call, answer);
            case 401, 403 ->
                throw TaskPlatformException.unauthorized(
                        said(call, answer) + ": the credential was refused; check its token and scopes");
            case 409 ->
                throw TaskPlatformException.conflict(said(call, answer) + ": it conflicts with an earlier call");
            case 429 ->
                throw TaskPlatformException.backpressure(
                        said(call, answer) + ": the platform asks to wait",
                        retryAfter(answer).orElse(null));
            case 503 -> throw unavailable(call, answer);
            default -> throw other(call, answer);
        };
    }

    private static String readable(String call, HttpAnswer answer) {
        if (!isJson(answer.headers())) {
            throw unconfirmed(call, answer, "is not application/json");
        }
        if (answer.body().tooLarge()) {
            throw unconfirmed(call, answer, "is larger than allowed");
        }
        return StrictJson.text(answer.body().bytes()).orElseThrow(() -> unconfirmed(call, answer, "is not UTF-8"));
    }

    private static TaskPlatformException unavailable(String call, HttpAnswer answer) {
        Optional<Duration> wait = retryAfter(answer);
        return wait.isPresent()
                ? TaskPlatformException.backpressure(said(call, answer) + ": the platform asks to wait", wait.get())
                : other(call, answer);
    }

    private static TaskPlatformException other(String call, HttpAnswer answer) {
        if (answer.status() >= 400 && answer.status() <= 499) {
            return TaskPlatformException.rejected(said(call, answer) + ": the platform rejected it");
        }
        return TaskPlatformException.unconfirmed(said(call, answer) + ": whether it took effect is unknown", null);
    }

    private static TaskPlatformException unconfirmed(String call, HttpAnswer answer, String fault) {
        return TaskPlatformException.unconfirmed(
                call + ": HTTP " + answer.status() + ", but the body " + fault + "; whether it took effect is unknown",
                null);
    }

    private static Optional<Duration> retryAfter(HttpAnswer answer) {
        HttpHeaders headers = answer.headers();
        return RetryAfter.read(headers.allValues("Retry-After"), headers.allValues("Date"));
    }

    private static boolean isJson(HttpHeaders headers) {
        List<String> types = headers.allValues("Content-Type");
        return types.size() == 1 && JSON_TYPE.matcher(types.get(0)).matches();
    }

    private static String said(String call, HttpAnswer answer) {
        return call + ": HTTP " + answer.status()
                + code(answer).map(code -> " (code " + code + ")").orElse("");
    }

    /** The platform's short code; its message is free text and may quote the request, so it is never shown. */
    private static Optional<String> code(HttpAnswer answer) {
        return StrictJson.text(answer.body().bytes())
                .flatMap(StrictJson::object)
                .map(object -> object.get("code"))
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue)
                .filter(code -> CODE.matcher(code).matches());
    }
}
