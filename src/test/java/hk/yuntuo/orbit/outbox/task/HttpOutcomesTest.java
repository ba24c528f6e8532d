package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpOutcomesTest {
    private static final String JSON = "application/json";

    static IntStream allStatuses() {
        return IntStream.rangeClosed(100, 599);
    }

    @ParameterizedTest
    @MethodSource("allStatuses")
    void everyStatusHasItsOutcome(int status) {
        HttpAnswer answer = answer(status, "{}", JSON);
        if (status == 200 || status == 201) {
            assertEquals("{}", HttpOutcomes.success("call", answer));
            return;
        }
        TaskPlatformException thrown =
                assertThrows(TaskPlatformException.class, () -> HttpOutcomes.success("call", answer));
        assertEquals(Optional.of(expected(status)), thrown.resultCode());
        assertTrue(thrown.getMessage().startsWith("call: HTTP " + status), thrown.getMessage());
        assertEquals(Optional.empty(), thrown.retryAfter());
    }

    private static ResultCode expected(int status) {
        return switch (status) {
            case 401, 403 -> ResultCode.AUTHORIZATION;
            case 409 -> ResultCode.IDEMPOTENCY_CONFLICT;
            case 429 -> ResultCode.BACKPRESSURE;
            default -> status / 100 == 4 ? ResultCode.HTTP_REJECTED : ResultCode.UNCONFIRMED;
        };
    }

    @Test
    void retryAfterMakes503Backpressure() {
        TaskPlatformException thrown = failure(answer(503, "", JSON, "Retry-After", "7"));
        assertEquals(Optional.of(ResultCode.BACKPRESSURE), thrown.resultCode());
        assertEquals(Optional.of(Duration.ofSeconds(7)), thrown.retryAfter());
    }

    @Test
    void anUnreadableRetryAfterLeaves503Unconfirmed() {
        TaskPlatformException thrown = failure(answer(503, "", JSON, "Retry-After", "soon"));
        assertEquals(Optional.of(ResultCode.UNCONFIRMED), thrown.resultCode());
    }

    @Test
    void retryAfterOf429MayBeADateOrMissing() {
        HttpAnswer dated = answer(
                429, "", JSON, "Retry-After", "Mon, 30 Nov 2026 08:01:00 GMT", "Date", "Mon, 30 Nov 2026 08:00:00 GMT");
        assertEquals(Optional.of(Duration.ofMinutes(1)), failure(dated).retryAfter());
        TaskPlatformException bare = failure(answer(429, "", JSON, "Retry-After", "soon"));
        assertEquals(Optional.of(ResultCode.BACKPRESSURE), bare.resultCode());
        assertEquals(Optional.empty(), bare.retryAfter());
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 409, 500, 502, 504})
    void retryAfterChangesNoOtherOutcome(int status) {
        TaskPlatformException thrown = failure(answer(status, "", JSON, "Retry-After", "7"));
        assertEquals(Optional.of(expected(status)), thrown.resultCode());
        assertEquals(Optional.empty(), thrown.retryAfter());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "Application/JSON",
                "application/json;charset=utf-8",
                "application/json ; charset=UTF-8",
            })
    void jsonTypesAreTaken(String type) {
        assertEquals("{}", HttpOutcomes.success("call", answer(200, "{}", type)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text/html",
                "text/json",
                "application/jsonp",
                "application/problem+json",
                "application/json, a"
            })
    void otherTypesLeaveTheCallUnconfirmed(String type) {
        unconfirmed(answer(200, "{}", type));
    }

    @Test
    void noTypeAndTwoTypesLeaveTheCallUnconfirmed() {
        unconfirmed(new HttpAnswer(200, headers(Map.of()), content("{}")));
        unconfirmed(new HttpAnswer(200, headers(Map.of("Content-Type", List.of(JSON, JSON))), content("{}")));
    }

    @Test
    void aBodyThatIsNotUtf8LeavesTheCallUnconfirmed() {
        byte[] latin1 = "{\"a\":\"\u00e4\"}".getBytes(StandardCharsets.ISO_8859_1);
        unconfirmed(new HttpAnswer(200, jsonHeaders(), new BoundedBody.Content(latin1, false)));
    }

    @Test
    void aSuccessThatIsTooLargeIsUnconfirmed() {
        unconfirmed(new HttpAnswer(201, jsonHeaders(), new BoundedBody.Content(new byte[0], true)));
    }

    @Test
    void anErrorThatIsTooLargeStillCountsByItsStatus() {
        HttpAnswer page = new HttpAnswer(403, jsonHeaders(), new BoundedBody.Content(new byte[0], true));
        assertEquals(Optional.of(ResultCode.AUTHORIZATION), failure(page).resultCode());
    }

    @Test
    void theShortCodeIsShownAndTheMessageIsNot() {
        TaskPlatformException thrown =
                failure(answer(422, "{\"code\":\"invalid_document\",\"message\":\"s3cret\"}", JSON));
        assertEquals("call: HTTP 422 (code invalid_document): the platform rejected it", thrown.getMessage());
        assertNull(thrown.getCause());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"code\":\"s3cret code\"}",
                "{\"code\":\"\"}",
                "{\"code\":12}",
                "{\"code\":{\"s3cret\":1}}",
                "{\"code\":\"s3cret_0123456789012345678901234567890123456789012345678901234567890\"}",
                "{\"code\":\"s3cret\",\"code\":\"s3cret\"}",
                "[\"s3cret\"]",
                "s3cret",
                "",
            })
    void otherCodesAndBodiesAreNotShown(String body) {
        String message = failure(answer(400, body, JSON)).getMessage();
        assertEquals("call: HTTP 400: the platform rejected it", message);
        assertFalse(answer(400, body, JSON).toString().contains("s3cret"));
    }

    private static TaskPlatformException failure(HttpAnswer answer) {
        return assertThrows(TaskPlatformException.class, () -> HttpOutcomes.success("call", answer));
    }

    private static void unconfirmed(HttpAnswer answer) {
        assertEquals(Optional.of(ResultCode.UNCONFIRMED), failure(answer).resultCode());
    }

    private static HttpAnswer answer(int status, String body, String type, String... more) {
        Map<String, List<String>> headers = new java.util.HashMap<>();
        headers.put("Content-Type", List.of(type));
        for (int i = 0; i < more.length; i += 2) {
            headers.put(more[i], List.of(more[i + 1]));
        }
        return new HttpAnswer(status, headers(headers), content(body));
    }

    private static BoundedBody.Content content(String body) {
        return new BoundedBody.Content(body.getBytes(StandardCharsets.UTF_8), false);
    }

    private static HttpHeaders jsonHeaders() {
        return headers(Map.of("Content-Type", List.of(JSON)));
    }

    private static HttpHeaders headers(Map<String, List<String>> values) {
        return HttpHeaders.of(values, (name, value) -> true);
    }
}
