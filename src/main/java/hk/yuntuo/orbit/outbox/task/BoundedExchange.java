package hk.yuntuo.orbit.outbox.task;

import java.net.ProtocolException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        CompletableFuture<?> exchange = null;
        try {
            exchange = begin(request, answer);
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
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
            // A whole answer leaves its connection to the next exchange; any other end ends the connection too.
            if (exchange != null && (!answer.isDone() || answer.isCompletedExceptionally())) {
                exchange.cancel(true);
            }
        }
    }

    /**
     * The answer is complete when its body is, on a thread of the client's own executor. The client's future completes on the JDK's common
     * pool, which an application may keep busy, and which has one thread on two processors.
     */
    private CompletableFuture<?> begin(HttpRequest request, CompletableFuture<HttpAnswer> answer) {
        CompletableFuture<?> exchange = client.sendAsync(request, head -> {
            BoundedBody body = new BoundedBody(maxResponseBytes);
            body.getBody()
                    .thenAccept(content -> answer.complete(new HttpAnswer(head.statusCode(), head.headers(), content)));
            return body;
        });
        exchange.whenComplete((response, failure) -> {
            if (failure != null) {
                boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
                answer.completeExceptionally(wrapped ? failure.getCause() : failure);
            }
        });
        return exchange;
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
