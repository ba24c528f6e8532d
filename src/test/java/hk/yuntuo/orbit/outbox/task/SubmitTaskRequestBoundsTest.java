package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SubmitTaskRequestBoundsTest {
    private static final String QUEUE_RULE = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : -";
    private static final String FORM = " characters of A-Z a-z 0-9 . _ -, the first a letter or digit";
    private static final String HANDLER_RULE = "must be 1 to 128" + FORM;
    private static final String VERSION_RULE = "must be 1 to 32" + FORM;
    private static final String KEY_LENGTH_RULE = "must be at most 256 Unicode code points";
    private static final String KEY_BLANK_RULE = "must not be blank";
    private static final String KEY_CONTROL_RULE = "must not hold control characters";
    private static final String KEY_UNICODE_RULE = "must be valid Unicode (half a surrogate pair)";
    private static final String TIMEOUT_RULE = "must be between 1 ms and 30 days";
    private static final String DELAY_RULE = "must be between 0 and 30 days";
    private static final String MILLIS_RULE = "must be in whole milliseconds";
    private static final String INSTANT_RULE = "must be between 2000-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z";
    private static final String MICROS_RULE = "must be in whole microseconds";
    private static final String SMILE = "\ud83d\ude00";
    private static final Duration THIRTY_DAYS = Duration.ofDays(30);
    private static final Instant FIRST = Instant.parse("2000-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    /** One change of a good request. */
    private interface Change extends UnaryOperator<SubmitTaskRequestBuilder> {}

    static Stream<Arguments> accepted() {
        return Stream.of(
                good("a queue of 1", b -> b.queueId(":")),
                good("a queue of 64", b -> b.queueId("Az09._:-".repeat(8))),
                good("a handler of 1", b -> b.handler("0")),
                good("a handler of 128", b -> b.handler("Az09._--".repeat(16))),
                good("versions of 1", b -> b.handlerVersion("1").payloadVersion("v")),
                good("versions of 32", b -> b.handlerVersion("1._-".repeat(8)).payloadVersion("V".repeat(32))),
                good("a business key of 1", b -> b.businessKey("0")),
                good("a business key of 256", b -> b.businessKey("k".repeat(256))),
                good("a business key of 256 code points, 512 chars", b -> b.businessKey(SMILE.repeat(256))),
                good("a business key with blanks", b -> b.businessKey(" \u00a0\u3000x ")),
                good(
                        "a business key with what looks odd",
                        b -> b.businessKey("\u00ad\u200b\u202e\ufeff\uffff\ue000\"\\")),
                good("the least time-out", b -> b.taskTimeout(Duration.ofMillis(1))),
                good("the greatest time-out", b -> b.taskTimeout(THIRTY_DAYS)),
                good("no delay", b -> b.delay(Duration.ZERO)),
                good("the greatest delay", b -> b.delay(THIRTY_DAYS)),
                good("the first available", b -> b.availableAt(FIRST)),
                good("the last available", b -> b.availableAt(LAST)),
                good("the first deadline", b -> b.startDeadlineAt(FIRST)),
                good("the last deadline", b -> b.startDeadlineAt(LAST)),
                good("a delay and a deadline", b -> b.delay(THIRTY_DAYS).startDeadlineAt(FIRST)),
                good("a deadline just after", b -> b.availableAt(NOON).startDeadlineAt(NOON.plusNanos(1_000))),
                good("a payload of 99 levels", b -> b.payload("[".repeat(99) + "]".repeat(99))),
                good("a scalar payload", b -> b.payload("null")));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                bad("queueId", "must be given", b -> given(null, "h", "v", "v", "{}")),
                bad("handler", "must be given", b -> given("q", null, "v", "v", "{}")),
                bad("handlerVersion", "must be given", b -> given("q", "h", null, "v", "{}")),
                bad("payloadVersion", "must be given", b -> given("q", "h", "v", null, "{}")),
                bad("payload", "must be given", b -> given("q", "h", "v", "v", null)),
                bad("queueId", QUEUE_RULE, b -> b.queueId("")),
                bad("queueId", QUEUE_RULE, b -> b.queueId("q".repeat(65))),
                bad("queueId", QUEUE_RULE, b -> b.queueId("q q")),
                bad("handler", HANDLER_RULE, b -> b.handler("")),
                bad("handler", HANDLER_RULE, b -> b.handler("h".repeat(129))),
                bad("handler", HANDLER_RULE, b -> b.handler(".h")),
                bad("handler", HANDLER_RULE, b -> b.handler("-h")),
                bad("handler", HANDLER_RULE, b -> b.handler("_h")),
                bad("handler", HANDLER_RULE, b -> b.handler("h:h")),
                bad("handler", HANDLER_RULE, b -> b.handler("h\n")),
                bad("handler", HANDLER_RULE, b -> b.handler("h\u00e9")),
                bad("handler", HANDLER_RULE, b -> b.handler("\u0661")),
                bad("handlerVersion", VERSION_RULE, b -> b.handlerVersion("")),
                bad("handlerVersion", VERSION_RULE, b -> b.handlerVersion("v".repeat(33))),
                bad("handlerVersion", VERSION_RULE, b -> b.handlerVersion("-1")),
                bad("payloadVersion", VERSION_RULE, b -> b.payloadVersion("")),
                bad("payloadVersion", VERSION_RULE, b -> b.payloadVersion("v".repeat(33))),
                bad("payloadVersion", VERSION_RULE, b -> b.payloadVersion("v 1")),
                bad("businessKey", KEY_BLANK_RULE, b -> b.businessKey("")),
                bad("businessKey", KEY_BLANK_RULE, b -> b.businessKey(" \u00a0\u2003\u3000\u2028")),
                bad("businessKey", KEY_BLANK_RULE, b -> b.businessKey("\t\n")),
                bad("businessKey", KEY_LENGTH_RULE, b -> b.businessKey("k".repeat(257))),
                bad("businessKey", KEY_LENGTH_RULE, b -> b.businessKey(SMILE.repeat(257))),
                bad("businessKey", KEY_CONTROL_RULE, b -> b.businessKey("a\0")),
                bad("businessKey", KEY_CONTROL_RULE, b -> b.businessKey("a\u001f")),
                bad("businessKey", KEY_CONTROL_RULE, b -> b.businessKey("a\u007f")),
                bad("businessKey", KEY_CONTROL_RULE, b -> b.businessKey("a\u009f")),
                bad("businessKey", KEY_UNICODE_RULE, b -> b.businessKey("a\ud83d")),
                bad("businessKey", KEY_UNICODE_RULE, b -> b.businessKey("\ude00\ud83d")),
                bad("taskTimeout", TIMEOUT_RULE, b -> b.taskTimeout(Duration.ZERO)),
                bad("taskTimeout", TIMEOUT_RULE, b -> b.taskTimeout(Duration.ofMillis(-1))),
                bad("taskTimeout", TIMEOUT_RULE, b -> b.taskTimeout(Duration.ofNanos(999_999))),
                bad("taskTimeout", TIMEOUT_RULE, b -> b.taskTimeout(THIRTY_DAYS.plusNanos(1))),
                bad("taskTimeout", TIMEOUT_RULE, b -> b.taskTimeout(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))),
                bad("taskTimeout", MILLIS_RULE, b -> b.taskTimeout(Duration.ofNanos(1_000_001))),
                bad("taskTimeout", MILLIS_RULE, b -> b.taskTimeout(THIRTY_DAYS.minusNanos(1))),
                bad("delay", DELAY_RULE, b -> b.delay(Duration.ofNanos(-1))),
                bad("delay", DELAY_RULE, b -> b.delay(THIRTY_DAYS.plusMillis(1))),
                bad("delay", MILLIS_RULE, b -> b.delay(Duration.ofNanos(1))),
                bad(
                        "delay",
                        "must not be given together with availableAt",
                        b -> b.delay(Duration.ZERO).availableAt(NOON)),
                bad("availableAt", INSTANT_RULE, b -> b.availableAt(FIRST.minusNanos(1))),
                bad("availableAt", INSTANT_RULE, b -> b.availableAt(LAST.plusNanos(1))),
                bad("availableAt", INSTANT_RULE, b -> b.availableAt(Instant.MAX)),
                bad("availableAt", MICROS_RULE, b -> b.availableAt(NOON.plusNanos(1))),
                bad("availableAt", MICROS_RULE, b -> b.availableAt(NOON.plusNanos(999))),
                bad("startDeadlineAt", INSTANT_RULE, b -> b.startDeadlineAt(FIRST.minusNanos(1_000))),
                bad("startDeadlineAt", INSTANT_RULE, b -> b.startDeadlineAt(LAST.plusNanos(1_000))),
                bad("startDeadlineAt", MICROS_RULE, b -> b.startDeadlineAt(NOON.minusNanos(1))),
                bad(
                        "startDeadlineAt",
                        "must be after availableAt (" + NOON + ")",
                        b -> b.availableAt(NOON).startDeadlineAt(NOON)),
                bad(
                        "startDeadlineAt",
                        "must be after availableAt (" + NOON + ")",
                        b -> b.availableAt(NOON).startDeadlineAt(FIRST)),
                bad("payload", "must be one strict JSON value, but is empty", b -> b.payload("")),
                bad("payload", "must be one strict JSON value (line 1, column 2)", b -> b.payload("01")),
                bad(
                        "payload",
                        "must be at most 99 levels deep (line 1, column 100)",
                        b -> b.payload("[".repeat(100) + "]".repeat(100))),
                bad("payload", "must be at most 99 levels deep", b -> b.payload(arrays(100))),
                bad("payload", "must be at most 16777215 bytes", b -> b.payload(" ".repeat(16_777_215) + "1")));
    }

    static Stream<Arguments> nulls() {
        return Stream.of(
                bad("queueId", "must not be null", b -> b.queueId(null)),
                bad("handler", "must not be null", b -> b.handler(null)),
                bad("handlerVersion", "must not be null", b -> b.handlerVersion(null)),
                bad("payloadVersion", "must not be null", b -> b.payloadVersion(null)),
                bad("payload", "must not be null", b -> b.payload((String) null)),
                bad("payload", "must not be null", b -> b.payload((ArrayNode) null)),
                bad("businessKey", "must not be null", b -> b.businessKey(null)),
                bad("taskTimeout", "must not be null", b -> b.taskTimeout(null)),
                bad("delay", "must not be null", b -> b.delay(null)),
                bad("availableAt", "must not be null", b -> b.availableAt(null)),
                bad("startDeadlineAt", "must not be null", b -> b.startDeadlineAt(null)),
                bad("recoveryLevel", "must not be null", b -> b.recoveryLevel(null)),
                bad("attemptPolicy", "must not be null", b -> b.attemptPolicy(null)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("accepted")
    void takesEachBound(String what, Change change) {
        assertDoesNotThrow(() -> change.apply(good()).build(), what);
    }

    @ParameterizedTest(name = "{index} {0} {1}")
    @MethodSource("refused")
    void refusesWhatIsPastABound(String field, String rule, Change change) {
        SubmitTaskRequestBuilder changed = change.apply(good());
        InvalidInputException refused = assertThrows(InvalidInputException.class, changed::build);
        assertEquals(field, refused.field());
        assertEquals(rule, refused.rule());
        assertTrue(refused.getMessage().length() < 350, refused.getMessage());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nulls")
    void refusesANullAtOnce(String field, String rule, Change change) {
        SubmitTaskRequestBuilder builder = good();
        InvalidInputException refused = assertThrows(InvalidInputException.class, () -> change.apply(builder));
        assertEquals(field, refused.field());
        assertEquals(rule, refused.rule());
    }

    private static SubmitTaskRequestBuilder good() {
        return given("queue", "handler", "h1", "p1", "{\"a\": 1.10}");
    }

    /** Sets the fields that must be given; a null one is left out. */
    private static SubmitTaskRequestBuilder given(String... values) {
        SubmitTaskRequestBuilder builder = SubmitTaskRequest.builder();
        Change[] setters = {
            b -> b.queueId(values[0]),
            b -> b.handler(values[1]),
            b -> b.handlerVersion(values[2]),
            b -> b.payloadVersion(values[3]),
            b -> b.payload(values[4])
        };
        for (int i = 0; i < setters.length; i++) {
            if (values[i] != null) {
                setters[i].apply(builder);
            }
        }
        return builder;
    }

    private static ArrayNode arrays(int depth) {
        ArrayNode outermost = JsonNodeFactory.instance.arrayNode();
        ArrayNode innermost = outermost;
        for (int i = 1; i < depth; i++) {
            innermost = innermost.addArray();
        }
        return outermost;
    }

    private static Arguments good(String what, Change change) {
        return arguments(what, change);
    }

    private static Arguments bad(String field, String rule, Change change) {
        return arguments(field, rule, change);
    }
}
