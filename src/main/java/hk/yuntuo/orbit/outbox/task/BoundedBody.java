package hk.yuntuo.orbit.outbox.task;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects a body up to a limit; past it, it stops reading and says so. Not thread-safe: its publisher calls it in order. */
final class BoundedBody implements HttpResponse.BodySubscriber<BoundedBody.Content> {
    /** The bytes of a body, none if there were too many of them. */
    record Content(byte[] bytes, boolean tooLarge) {
        /** Leaves the bytes out. */
        @Override
        public String toString() {
            return "Content[" + (tooLarge ? "too large" : bytes.length + " bytes") + "]";
        }
    }

    private final int limit;
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();
    private final CompletableFuture<Content> result = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    BoundedBody(int limit) {
        this.limit = limit;
    }

    @Override
    public CompletionStage<Content> getBody() {
        return result;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        if (subscription != null) {
            given.cancel();
            return;
        }
        subscription = given;
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (result.isDone()) {
            return;
        }
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > limit - collected.size()) {
                result.complete(new Content(new byte[0], true));
                if (subscription != null) {
                    subscription.cancel();
                }
                return;
            }
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            collected.writeBytes(bytes);
        }
    }

    @Override
    public void onError(Throwable cause) {
        result.completeExceptionally(cause);
    }

    @Override
    public void onComplete() {
        result.complete(new Content(collected.toByteArray(), false));
    }
}
