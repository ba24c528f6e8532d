package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ArgumentBytesTest {
    private static final byte[] ASCII = "enqueue\0a?b\0".getBytes(StandardCharsets.UTF_8);
    private static final byte[] CHINESE = "enqueue\0对象\0".getBytes(StandardCharsets.UTF_8);
    private static final byte[] NOT_UTF_8 = {'a', (byte) 0xff, 0};

    @Test
    void asciiIsUndamagedInAnyLocale() {
        new ArgumentBytes(ASCII, "ANSI_X3.4-1968").requireUndamaged();
        new ArgumentBytes(ASCII, "UTF-8").requireUndamaged();
        new ArgumentBytes(new byte[0], "").requireUndamaged();
    }

    @Test
    void othersNeedAUtf8Locale() {
        new ArgumentBytes(CHINESE, "UTF-8").requireUndamaged();
        assertEquals(
                "must be ASCII in this locale: set LC_ALL=C.UTF-8 for others",
                rule(new ArgumentBytes(CHINESE, "ANSI_X3.4-1968")));
    }

    @Test
    void whatIsNotUtf8IsRefusedEverywhere() {
        assertEquals("must be valid UTF-8", rule(new ArgumentBytes(NOT_UTF_8, "UTF-8")));
        assertEquals("must be valid UTF-8", rule(new ArgumentBytes(NOT_UTF_8, "ANSI_X3.4-1968")));
    }

    private static String rule(ArgumentBytes bytes) {
        return assertThrows(InvalidInputException.class, bytes::requireUndamaged)
                .rule();
    }
}
