package hk.yuntuo.orbit.outbox.support;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A proxy before MySQL that reads the client's packets and cuts the connection at a COMMIT: before it reaches the server, or after the
 * server has answered and before the client hears of it. Armed for one COMMIT at a time; the mark is consumed by it.
 */
public final class CommitCutProxy implements AutoCloseable {
    /** Where to cut. */
    public enum Cut {
        BEFORE_THE_SERVER,
        AFTER_THE_SERVER
    }

    private static final int COM_QUERY = 3;

    private final ServerSocket listener;
    private final String host;
    private final int port;
    private final AtomicReference<Cut> armed = new AtomicReference<>();
    private final AtomicInteger commitsToPass = new AtomicInteger();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    public CommitCutProxy(String host, int port) {
        this.host = host;
        this.port = port;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Cuts at the COMMIT that follows so many others. */
    public void arm(Cut cut, int passFirst) {
        commitsToPass.set(passFirst);
        armed.set(cut);
    }

    public boolean isArmed() {
        return armed.get() != null;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(host, port);
                sockets.add(client);
                sockets.add(server);
                Link link = new Link(client, server);
                daemon(link::fromClient);
                daemon(link::fromServer);
            }
        } catch (IOException e) {
            close();
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "commit-cut-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        closeQuietly(listener);
        sockets.forEach(CommitCutProxy::closeQuietly);
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // It was on its way out.
        }
    }

    private final class Link {
        private final Socket client;
        private final Socket server;
        private volatile boolean swallowing;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void fromClient() {
            try {
                DataInputStream in = new DataInputStream(client.getInputStream());
                OutputStream out = server.getOutputStream();
                byte[] header = new byte[4];
                while (true) {
                    in.readFully(header);
                    byte[] payload = new byte[(header[0] & 255) | (header[1] & 255) << 8 | (header[2] & 255) << 16];
                    in.readFully(payload);
                    if (isCommit(header, payload) && consumed() == Cut.BEFORE_THE_SERVER) {
                        break;
                    }
                    out.write(header);
                    out.write(payload);
                    out.flush();
                }
            } catch (IOException e) {
                // Either side has gone; the other follows.
            }
            cut();
        }

        private Cut consumed() {
            if (armed.get() == null || commitsToPass.getAndDecrement() > 0) {
                return null;
            }
            Cut cut = armed.getAndSet(null);
            swallowing = cut == Cut.AFTER_THE_SERVER;
            return cut;
        }

        void fromServer() {
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                byte[] buffer = new byte[65_536];
                int read;
                while ((read = in.read(buffer)) >= 0 && !swallowing) {
                    out.write(buffer, 0, read);
                    out.flush();
                }
            } catch (IOException e) {
                // Either side has gone; the other follows.
            }
            cut();
        }

        private void cut() {
            closeQuietly(client);
            closeQuietly(server);
        }

        private static boolean isCommit(byte[] header, byte[] payload) {
            return header[3] == 0
                    && payload.length > 0
                    && payload[0] == COM_QUERY
                    && new String(payload, StandardCharsets.ISO_8859_1)
                            .toLowerCase(Locale.ROOT)
                            .endsWith("commit");
        }
    }
}
