package hk.yuntuo.orbit.outbox.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A TCP hop before an {@link OrbitSimulator} for what no HTTP server does by itself: connections that are reset (RST) instead of
 * closed, and answers byte by byte as a test dictates them. Strikes are armed for submissions, one each, in order; everything else
 * passes. One request at a time on a connection is taken for granted. Thread-safe.
 */
public final class OrbitGate implements AutoCloseable {
    private static final byte[] SUBMISSION = "POST /v1/tasks ".getBytes(StandardCharsets.US_ASCII);
    private static final int BUFFER = 65_536;

    private enum Kind {
        RESET_BEFORE,
        RESET_AFTER,
        ANSWER
    }

    private record Strike(Kind kind, byte[] answer) {}

    private final URI simulator;
    private final ServerSocket listener;
    private final Deque<Strike> armed = new ArrayDeque<>();
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private boolean shut;

    private OrbitGate(URI simulator, ServerSocket listener) {
        this.simulator = simulator;
        this.listener = listener;
    }

    /**
     * Opens a gate at any free port of the loopback address.
     *
     * @param simulator where to pass things on to
     * @return the gate; close it
     * @throws UncheckedIOException if it cannot listen
     */
    public static OrbitGate before(OrbitSimulator simulator) {
        try {
            ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            OrbitGate gate = new OrbitGate(simulator.url(), listener);
            daemon(gate::accept);
            return gate;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Where it listens.
     *
     * @return the base URL for clients
     */
    public URI url() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /** Resets every connection that is open, and from now on every new one as soon as it is opened. */
    public synchronized void shut() {
        shut = true;
        clients.forEach(OrbitGate::reset);
    }

    /** Ends {@link #shut}. */
    public synchronized void open() {
        shut = false;
    }

    /** The next submission's connection is reset before anything of it is passed on. Not accepted. */
    public void resetBeforeSubmission() {
        arm(Kind.RESET_BEFORE, new byte[0]);
    }

    /** The next submission is passed on, and its connection reset once the answer is there. Accepted, unless it is refused. */
    public void resetAfterSubmission() {
        arm(Kind.RESET_AFTER, new byte[0]);
    }

    /**
     * The next submission gets these bytes and the end of its connection; nothing of it is passed on. Not accepted.
     *
     * @param answer the whole answer, head included
     */
    public void answerSubmission(String answer) {
        arm(Kind.ANSWER, answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * How many strikes are still to come.
     *
     * @return the number
     */
    public synchronized int remaining() {
        return armed.size();
    }

    /** Closes everything. */
    @Override
    public void close() {
        closeQuietly(listener);
        shut();
    }

    private synchronized void arm(Kind kind, byte[] answer) {
        armed.add(new Strike(kind, answer));
    }

    private synchronized @Nullable Strike take() {
        return armed.poll();
    }

    /** Whether the connection may stay; one that is refused is reset. */
    private synchronized boolean admit(Socket client) {
        if (shut) {
            reset(client);
            return false;
        }
        return clients.add(client);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                if (admit(client)) {
                    Link link = new Link(client, new Socket(simulator.getHost(), simulator.getPort()));
                    daemon(link::fromClient);
                    daemon(link::fromSimulator);
                }
            }
        } catch (IOException closed) {
            close();
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "orbit-gate");
        thread.setDaemon(true);
        thread.start();
    }

    /** Closed with a linger time of zero, a socket sends RST instead of FIN. */
    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closed) {
            // It is reset or closed already.
        }
        closeQuietly(socket);
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // It was on its way out.
        }
    }

    /** One connection of a client and its continuation. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private volatile boolean resetting;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void fromClient() {
            byte[] buffer = new byte[BUFFER];
            try {
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                int read = in.read(buffer);
                while (read >= 0 && mayPass(buffer, read)) {
                    out.write(buffer, 0, read);
                    read = in.read(buffer);
                }
            } catch (IOException gone) {
                // Either side has gone; the other follows.
            }
            end();
        }

        private boolean mayPass(byte[] bytes, int length) throws IOException {
            Strike strike = startsSubmission(bytes, length) ? take() : null;
            if (strike == null) {
                return true;
            }
            switch (strike.kind()) {
                case RESET_BEFORE -> reset(client);
                case RESET_AFTER -> resetting = true;
                case ANSWER -> answer(strike.answer());
            }
            return strike.kind() == Kind.RESET_AFTER;
        }

        /** The rest of the request is read: to close a socket with unread bytes resets it, and the answer may be lost. */
        private void answer(byte[] bytes) throws IOException {
            client.getOutputStream().write(bytes);
            client.shutdownOutput();
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
        }

        void fromSimulator() {
            byte[] buffer = new byte[BUFFER];
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                int read = in.read(buffer);
                while (read >= 0 && !resetting) {
                    out.write(buffer, 0, read);
                    read = in.read(buffer);
                }
            } catch (IOException gone) {
                // Either side has gone; the other follows.
            }
            if (resetting) {
                reset(client);
            }
            end();
        }

        private void end() {
            closeQuietly(client);
            closeQuietly(server);
            clients.remove(client);
        }
    }

    private static boolean startsSubmission(byte[] bytes, int length) {
        int compared = Math.min(length, SUBMISSION.length);
        return Arrays.equals(bytes, 0, compared, SUBMISSION, 0, SUBMISSION.length);
    }
}
