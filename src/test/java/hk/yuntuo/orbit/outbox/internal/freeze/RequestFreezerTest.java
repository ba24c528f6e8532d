package hk.yuntuo.orbit.outbox.internal.freeze;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.internal.json.JsonRules;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestFreezerTest {
    private static final RequestFreezer FREEZER = new RequestFreezer(RequestFreezer.DEFAULT_MAX_DOCUMENT_BYTES);

    @Test
    void aDelayIsKeptAsADuration() {
        assertTrue(Requests.text(
                        FREEZER.freeze(Requests.least().delay(Duration.ZERO).build()))
                .contains("\"task_timeout_ms\":3600000,\"delay_ms\":0,\"recovery_level\""));
        assertTrue(Requests.text(FREEZER.freeze(
                        Requests.least().delay(Duration.ofDays(30)).build()))
                .contains(",\"delay_ms\":2592000000,"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2000-01-01T00:00:00.000000Z",
                "2026-11-30T08:00:00.100000Z",
                "2026-11-30T23:59:59.999999Z",
                "9999-12-31T23:59:59.999999Z"
            })
    void instantsHaveSixFractionDigits(String text) {
        assertTrue(Requests.text(FREEZER.freeze(
                        Requests.least().availableAt(Instant.parse(text)).build()))
                .contains(",\"available_at\":\"" + text + "\","));
        assertTrue(Requests.text(FREEZER.freeze(
                        Requests.least().startDeadlineAt(Instant.parse(text)).build()))
                .contains(",\"start_deadline_at\":\"" + text + "\","));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.10",
                "9007199254740993",
                "-0.0e-00",
                " [ 1 ,\t2 ]\r\n",
                "{\"b\":1,\"a\":2}",
                "\"\\u0041\\/\\ud83d\\ude00\"",
                "\"\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfff\u2028\u007f\""
            })
    void thePayloadIsUntouched(String payload) {
        String document =
                Requests.text(FREEZER.freeze(Requests.least().payload(payload).build()));
        assertTrue(document.endsWith(",\"payload\":" + payload + "}"), document);
    }

    @Test
    void equalRequestsGiveEqualBytesWhateverTheLocaleAndTimeZone() {
        byte[] expected = FREEZER.freeze(Requests.full().build()).bytes();
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        try {
            for (String tag :
                    List.of("ar-EG-u-nu-arab", "hi-IN-u-nu-deva", "th-TH-u-ca-buddhist-nu-thai", "tr-TR", "fa-IR")) {
                Locale.setDefault(Locale.forLanguageTag(tag));
                TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
                assertArrayEquals(
                        expected, FREEZER.freeze(Requests.full().build()).bytes(), tag);
            }
        } finally {
            Locale.setDefault(locale);
            TimeZone.setDefault(zone);
        }
    }

    @Test
    void anotherJvmWithOtherDefaultsGivesTheSameDigest() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dfile.encoding=US-ASCII",
                        "-Duser.timezone=Asia/Kathmandu",
                        "-Duser.language=ar",
                        "-Duser.country=EG",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        PrintsDigest.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals("US-ASCII " + FREEZER.freeze(Requests.full().build()).sha256(), printed);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void theDocumentIsWithinMySqlsDepth() {
        String deepest = "[".repeat(99) + "]".repeat(99);
        String document =
                Requests.text(FREEZER.freeze(Requests.least().payload(deepest).build()));
        assertDoesNotThrow(() -> JsonRules.check("document", document, JsonRules.MAX_DEPTH));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u00e9", "\u4e2d", "\ud83d\ude00"})
    void theLimitCountsBytesOfTheWholeDocument(String character) {
        SubmitTaskRequest request = Requests.least()
                .payload("\"" + character.repeat(1_000) + "\"")
                .businessKey("k" + character)
                .build();
        int size = FREEZER.freeze(request).bytes().length;
        assertEquals(size, Requests.text(FREEZER.freeze(request)).getBytes(UTF_8).length);

        assertEquals(size, new RequestFreezer(size).freeze(request).bytes().length);
        RequestFreezer smaller = new RequestFreezer(size - 1);
        InvalidInputException refused = assertThrows(InvalidInputException.class, () -> smaller.freeze(request));
        assertEquals("request", refused.field());
        assertEquals(
                "request must be at most " + (size - 1) + " bytes as a frozen document, was \"" + size + "\"",
                refused.getMessage());
    }

    @Test
    void theGreatestLimitTakesADocumentThatFillsAMediumtext() {
        RequestFreezer freezer = new RequestFreezer(RequestFreezer.GREATEST_MAX_DOCUMENT_BYTES);
        int around = freezer.freeze(Requests.least().payload("\"\"").build()).bytes().length;
        String filler = "x".repeat(RequestFreezer.GREATEST_MAX_DOCUMENT_BYTES - around);
        assertEquals(
                RequestFreezer.GREATEST_MAX_DOCUMENT_BYTES,
                freezer.freeze(Requests.least().payload("\"" + filler + "\"").build())
                        .bytes()
                        .length);
        SubmitTaskRequest larger =
                Requests.least().payload("\"" + filler + "x\"").build();
        assertThrows(InvalidInputException.class, () -> freezer.freeze(larger));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1_023, 16_777_216, Integer.MAX_VALUE})
    void refusesALimitOutOfBounds(int limit) {
        InvalidInputException refused = assertThrows(InvalidInputException.class, () -> new RequestFreezer(limit));
        assertEquals("maxDocumentBytes", refused.field());
        assertEquals("must be between 1024 and 16777215", refused.rule());
    }

    @ParameterizedTest
    @ValueSource(ints = {1_024, 1_048_576, 16_777_215})
    void takesALimitWithinBounds(int limit) {
        assertDoesNotThrow(() -> new RequestFreezer(limit));
    }

    @Test
    void sha256IsOverTheBytes() {
        FrozenRequest frozen = FREEZER.freeze(Requests.least().build());
        assertEquals(frozen.sha256(), RequestFreezer.sha256(frozen.bytes().clone()));
        assertEquals(
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", RequestFreezer.sha256(new byte[0]));
        assertEquals(
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                RequestFreezer.sha256("abc".getBytes(UTF_8)));
    }

    @Test
    void toStringLeavesTheDocumentOut() {
        String shown =
                FREEZER.freeze(Requests.least().payload("\"secret\"").build()).toString();
        assertFalse(shown.contains("secret"), shown);
        assertTrue(shown.startsWith("FrozenRequest[queueId=outbox, "), shown);
    }

    /** What the other JVM runs. */
    static final class PrintsDigest {
        private PrintsDigest() {}

        public static void main(String[] args) {
            System.out.println(Charset.defaultCharset() + " "
                    + FREEZER.freeze(Requests.full().build()).sha256());
        }
    }
}
