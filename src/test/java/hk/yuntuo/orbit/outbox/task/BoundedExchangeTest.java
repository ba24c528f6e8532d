package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that no HTTP server would give: bytes written to a socket. */
@Timeout(30)
class BoundedExchangeTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @Test
    void theWholeAnswerIsReturned() throws Exception {
        HttpAnswer answer = exchanged("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\n\r\n{}", LONG);
        assertEquals(200, answer.status());
        assertEquals("1", answer.headers().firstValue("X-A").orElseThrow());
        assertEquals("{}", new String(answer.body().bytes(), StandardCharsets.UTF_8));
    }

    /** Fails with the client's own future on a JDK that completes it on the common pool: 25, or any with more processors than two. */
    @Test
    void anAnswerDoesNotWaitForTheCommonPool() throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        try {
            for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
                ForkJoinPool.commonPool().execute(() -> awaitUninterrupted(free));
            }
            assertEquals(
                    200,
                    exchanged("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", LONG)
                            .status());
        } finally {
            free.countDown();
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anUnboundedBodyIsCutAtTheLimit() throws Exception {
        String chunk = "400\r\n" + "x".repeat(1024) + "\r\n";
        HttpAnswer answer = exchanged("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(3), LONG);
        assertTrue(answer.body().tooLarge());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200",
                "HTTP/1.1 s3cret\r\n\r\n",
                "s3cret\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: s3cret\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ns3cret\r\n{}\r\n0\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            })
    void brokenAnswersAreUnconfirmedAndNotQuoted(String answer) {
        TaskPlatformException thrown = assertThrows(TaskPlatformException.class, () -> exchanged(answer, LONG));
        assertEquals(Optional.of(ResultCode.UNCONFIRMED), thrown.resultCode());
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            assertFalse(t.toString().contains("s3cret"), t.toString());
        }
    }

    @Test
    void aBodyThatStallsEndsWithTheTimeoutAndItsConnectionIsClosed() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Integer> end = CompletableFuture.supplyAsync(() -> {
                try (Socket socket = server.accept()) {
                    readHead(socket.getInputStream());
                    write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{");
                    return socket.getInputStream().read();
                } catch (IOException reset) {
                    return -1;
                }
            });
            assertThrows(TaskPlatformException.class, () -> send(server, Duration.ofMillis(200)));
            assertEquals(-1, end.get());
        }
    }

    @Test
    void anExecutorThatDoesNotRunIsUnconfirmed() {
        ExecutorService stopped = Executors.newSingleThreadExecutor();
        stopped.shutdown();
        HttpClient client = HttpClient.newBuilder().executor(stopped).build();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:1")).build();
        TaskPlatformException thrown = assertThrows(
                TaskPlatformException.class, () -> new BoundedExchange(client, 1024).send("call", request, LONG));
        assertEquals(Optional.of(ResultCode.UNCONFIRMED), thrown.resultCode());
    }

    private static HttpAnswer exchanged(String answer, Duration timeout) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> done = CompletableFuture.runAsync(
                    () -> {
                        try (Socket socket = server.accept()) {
                            readHead(socket.getInputStream());
                            write(socket, answer);
                        } catch (IOException closed) {
                            // The client's side of the story is what counts.
                        }
                    },
                    task -> new Thread(task, "server").start());
            HttpAnswer read = send(server, timeout);
            done.join();
            return read;
        }
    }

    private static HttpAnswer send(ServerSocket server, Duration timeout) {
        HttpClient client = HttpClient.newHttpClient();
        URI url = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
        HttpRequest post = HttpRequest.newBuilder(url)
                .version(HttpClient.Version.HTTP_1_1)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return new BoundedExchange(client, 2048).send("call", post, timeout);
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    /** Up to the empty line, so that closing the socket does not reset it. */
    private static void readHead(InputStream in) throws IOException {
        int state = 0;
        while (state < 4) {
            int b = in.read();
            if (b < 0) {
                return;
            }
            state = b == (state % 2 == 0 ? '\r' : '\n') ? state + 1 : 0;
        }
    }
}
