package hk.yuntuo.orbit.outbox.testing;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** What can be done with the connection of one request: answer it, answer it in part, or cut it. */
final class Wire {
    private final HttpExchange exchange;

    Wire(HttpExchange exchange) {
        this.exchange = exchange;
    }

    void send(Answer answer) throws IOException {
        try (OutputStream out = begin(answer)) {
            out.write(answer.body());
        }
    }

    /** Announces the whole body, sends half of it and cuts the connection. */
    void sendHalf(Answer answer) throws IOException {
        OutputStream out = begin(answer);
        out.write(Arrays.copyOf(answer.body(), answer.body().length / 2));
        out.flush();
        cut();
    }

    /** Sends the head and half of the body; the other half when the wait is over. */
    void sendInTwo(Answer answer, Wait wait) throws IOException, InterruptedException {
        int half = answer.body().length / 2;
        try (OutputStream out = begin(answer)) {
            out.write(answer.body(), 0, half);
            out.flush();
            wait.await();
            out.write(answer.body(), half, answer.body().length - half);
        }
    }

    /** Sends one byte of the body at a time, a wait before each. */
    void drip(Answer answer, Wait wait) throws IOException, InterruptedException {
        try (OutputStream out = begin(answer)) {
            for (byte b : answer.body()) {
                wait.await();
                out.write(b);
                out.flush();
            }
        }
    }

    /** Announces no length and sends until the connection breaks, which ends this with an exception. */
    void sendWithoutEnd(Answer answer) throws IOException {
        byte[] blanks = new byte[8_192];
        Arrays.fill(blanks, (byte) ' ');
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        // 0 announces chunks.
        exchange.sendResponseHeaders(answer.status(), 0);
        OutputStream out = exchange.getResponseBody();
        out.write(answer.body());
        while (true) {
            out.write(blanks);
        }
    }

    /** Closes the connection; what was not answered never will be. */
    void cut() {
        exchange.close();
    }

    private OutputStream begin(Answer answer) throws IOException {
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        // -1 announces no body at all.
        exchange.sendResponseHeaders(answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
        return exchange.getResponseBody();
    }

    /** Blocks until something happens, or the simulator is closed. */
    interface Wait {
        void await() throws InterruptedException;
    }
}
