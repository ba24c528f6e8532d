package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class BoundedBodyTest {
    private static final class Source implements Flow.Subscription {
        private boolean cancelled;
        private long requested;

        @Override
        public void request(long n) {
            requested += n;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    private final Source source = new Source();
    private final BoundedBody body = new BoundedBody(4);

    @Test
    void aBodyUpToTheLimitIsCollected() throws Exception {
        body.onSubscribe(source);
        assertTrue(source.requested > 0);
        body.onNext(List.of(bytes(1, 2), bytes(3)));
        body.onNext(List.of(bytes(), bytes(4)));
        assertFalse(result().isDone());
        body.onComplete();
        assertArrayEquals(new byte[] {1, 2, 3, 4}, result().get().bytes());
        assertFalse(result().get().tooLarge());
        assertFalse(source.cancelled);
    }

    @Test
    void pastTheLimitReadingStopsAndNothingIsKept() throws Exception {
        body.onSubscribe(source);
        body.onNext(List.of(bytes(1, 2, 3), bytes(4, 5)));
        assertTrue(source.cancelled);
        assertTrue(result().get().tooLarge());
        assertEquals(0, result().get().bytes().length);
        body.onNext(List.of(bytes(6)));
        body.onComplete();
        assertTrue(result().get().tooLarge());
    }

    @Test
    void aBrokenBodyFails() {
        body.onSubscribe(source);
        body.onNext(List.of(bytes(1)));
        body.onError(new IOException("cut"));
        assertThrows(ExecutionException.class, () -> result().get());
    }

    @Test
    void anEmptyBodyIsABody() throws Exception {
        body.onSubscribe(source);
        body.onComplete();
        assertEquals(0, result().get().bytes().length);
    }

    @Test
    void aSecondPublisherIsTurnedAway() {
        body.onSubscribe(source);
        Source second = new Source();
        body.onSubscribe(second);
        assertTrue(second.cancelled);
        assertFalse(source.cancelled);
    }

    private CompletableFuture<BoundedBody.Content> result() {
        return body.getBody().toCompletableFuture();
    }

    private static ByteBuffer bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return ByteBuffer.wrap(bytes);
    }
}
