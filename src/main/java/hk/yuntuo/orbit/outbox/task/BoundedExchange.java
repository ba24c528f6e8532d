package hk.yuntuo.orbit.outbox.task;

import java.net.ProtocolException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One exchange that ends within its time, body included. {@link HttpRequest#timeout} would not do: it ends with the headers, and a
 * body may then trickle for ever.
 */
final class BoundedExchange {
    private final HttpClient client;
    private final int maxResponseBytes;

    BoundedExchange(HttpClient client, int maxResponseBytes) {
        this.client = client;
        this.maxResponseBytes = maxResponseBytes;
    }

    /** The whole answer, or an unconfirmed failure. */
    HttpAnswer send(String call, HttpRequest request, Duration timeout) {
        if (Thread.currentThread().isInterrupted()) {
            throw TaskPlatformException.unconfirmed(call + ": the thread was interrupted; nothing was sent", null);
        }
        CompletableFuture<HttpResponse<BoundedBody.Content>> answer = null;
        try {
            answer = client.sendAsync(request, head -> new BoundedBody(maxResponseBytes));
            HttpResponse<BoundedBody.Content> response = answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return new HttpAnswer(response.statusCode(), response.headers(), response.body());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failed(call, "the thread was interrupted", interrupted);
        } catch (TimeoutException late) {
            throw failed(call, "no complete answer within " + timeout.toMillis() + " ms", late);
        } catch (ExecutionException failure) {
            throw failed(call, "the exchange failed", failure.getCause());
        } catch (RejectedExecutionException stopped) {
            throw failed(call, "the HTTP client's executor does not run", stopped);
        } finally {
            if (answer != null) {
                // No effect on an exchange that is over; ends any other, and its connection with it.
                answer.cancel(true);
            }
        }
    }

    private static TaskPlatformException failed(String call, String what, @Nullable Throwable cause) {
        return TaskPlatformException.unconfirmed(
                call + ": " + what + name(cause) + "; whether it took effect is unknown",
                quotesTheAnswer(cause) ? null : cause);
    }

    private static String name(@Nullable Throwable cause) {
        return cause == null ? "" : " (" + cause.getClass().getSimpleName() + ")";
    }

    /** A protocol error's message holds what the other side sent. */
    private static boolean quotesTheAnswer(@Nullable Throwable cause) {
        for (Throwable t = cause; t != null; t = t.getCause()) {
            if (t instanceof ProtocolException || t instanceof NumberFormatException) {
                return true;
            }
        }
        return false;
    }
}
