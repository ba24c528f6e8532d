package hk.yuntuo.orbit.outbox.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperationIdTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "00000000000000000000000000000000",
                "ffffffffffffffffffffffffffffffff",
                "0123456789abcdef0123456789abcdef"
            })
    void takes32LowercaseHexDigitsAsTheyAre(String text) {
        assertEquals(text, OperationId.parse(text).value());
        assertEquals(text, new OperationId(text).toString());
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "0123456789abcdef0123456789abcde",
                "0123456789abcdef0123456789abcdef0",
                "0123456789ABCDEF0123456789abcdef",
                "0123456789abcdefg123456789abcdef",
                "01234567-89ab-cdef-0123-456789abcdef",
                " 123456789abcdef0123456789abcdef",
                "0123456789abcdef0123456789abcdef\n",
                "\uff10123456789abcdef0123456789abcdef",
                "\u0660123456789abcdef0123456789abcdef"
            })
    void refusesEveryOtherForm(String text) {
        InvalidInputException refused = assertThrows(InvalidInputException.class, () -> OperationId.parse(text));
        assertEquals("operationId", refused.field());
        assertEquals("must be 32 lowercase hexadecimal digits", refused.rule());
    }

    @Test
    void nextHasTheLayoutOfAUuidVersion7() {
        for (int i = 0; i < 1_000; i++) {
            UUID uuid = uuid(OperationId.next());
            assertEquals(7, uuid.version());
            assertEquals(2, uuid.variant());
        }
    }

    @Test
    void nextSortsByTimeOfTheJvm() throws InterruptedException {
        OperationId earlier = OperationId.next();
        while (millis(OperationId.next()) == millis(earlier)) {
            Thread.onSpinWait();
        }
        OperationId later = OperationId.next();
        assertTrue(earlier.value().compareTo(later.value()) < 0, earlier + " " + later);
    }

    @Test
    void nextIsWithoutOrderOnlyWithinAMillisecond() {
        long last = 0;
        for (int i = 0; i < 10_000; i++) {
            long millis = millis(OperationId.next());
            assertTrue(millis >= last, "the clock's milliseconds went back");
            last = millis;
        }
    }

    @Test
    void nextIsUniqueOnSeveralThreads() throws InterruptedException, ExecutionException {
        int threads = 4;
        int each = 25_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<OperationId>>> made = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                made.add(pool.submit(() -> IntStream.range(0, each)
                        .mapToObj(n -> OperationId.next())
                        .toList()));
            }
            Set<OperationId> all = new HashSet<>();
            for (Future<List<OperationId>> ids : made) {
                all.addAll(ids.get());
            }
            assertEquals(threads * each, all.size());
        } finally {
            pool.shutdownNow();
        }
    }

    private static UUID uuid(OperationId id) {
        return new UUID(
                Long.parseUnsignedLong(id.value().substring(0, 16), 16),
                Long.parseUnsignedLong(id.value().substring(16), 16));
    }

    private static long millis(OperationId id) {
        return Long.parseLong(id.value().substring(0, 12), 16);
    }
}
