package hk.yuntuo.orbit.outbox.support.proxy;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One connection through the proxy: a thread reads the client, another the server, packet by packet. */
final class MySqlLink {
    private static final int HOLD_MILLIS = 20;

    private final MySqlProxy proxy;
    private final Socket client;
    private final Socket server;
    private final MySqlCommands commands = new MySqlCommands();
    /** Of the command whose answer is awaited; a client sends no other before it has that. */
    private volatile @Nullable Mark atReply;

    private volatile boolean cut;

    MySqlLink(MySqlProxy proxy, Socket client, Socket server) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
    }

    void fromClient() {
        try {
            PushbackInputStream pushback = new PushbackInputStream(client.getInputStream());
            DataInputStream in = new DataInputStream(pushback);
            OutputStream out = new BufferedOutputStream(server.getOutputStream());
            boolean goingOn = true;
            while (goingOn) {
                Packet packet = Packet.read(in);
                String sql = commands.sent(packet);
                Mark mark = sql == null ? null : proxy.strikeFor(sql);
                goingOn = mark == null || passes(mark, packet, out, pushback);
                if (goingOn) {
                    packet.write(out);
                }
            }
        } catch (MySqlCommands.UnreadableException e) {
            proxy.misunderstands(e);
        } catch (IOException e) {
            // Either side has gone; the other follows.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cut();
    }

    /** Whether the command goes on to the server. */
    private boolean passes(Mark mark, Packet packet, OutputStream out, PushbackInputStream in)
            throws IOException, InterruptedException {
        switch (mark.strike()) {
            case CUT_BEFORE -> {
                // Cut first: whoever hears of the strike finds the command lost for good.
                cut();
                mark.strikes();
                return false;
            }
            case CUT_WITHIN -> {
                out.write(packet.bytes(), 0, packet.bytes().length / 2);
                out.flush();
                cut();
                mark.strikes();
                return false;
            }
            case HOLD_COMMAND -> {
                mark.strikes();
                return isHeldToTheEnd(mark, in);
            }
            case DELAY -> {
                mark.strikes();
                while (!mark.isReleasedWithin(HOLD_MILLIS) && !cut) {}
                atReply = mark;
                packet.write(out);
                mark.awaitAnswer();
                return false;
            }
            case SWALLOW_REPLY, HOLD_REPLY -> {
                atReply = mark;
                return true;
            }
        }
        throw new AssertionError(mark.strike());
    }

    /** Returns false if the client went away meanwhile. */
    private boolean isHeldToTheEnd(Mark mark, PushbackInputStream in) throws IOException, InterruptedException {
        client.setSoTimeout(HOLD_MILLIS);
        while (!mark.isReleasedWithin(0)) {
            try {
                int next = in.read();
                if (next < 0) {
                    return false;
                }
                in.unread(next);
                mark.isReleasedWithin(HOLD_MILLIS);
            } catch (SocketTimeoutException e) {
                // Still there, and still waiting.
            }
        }
        client.setSoTimeout(0);
        return true;
    }

    void fromServer() {
        try {
            DataInputStream in = new DataInputStream(server.getInputStream());
            OutputStream out = new BufferedOutputStream(client.getOutputStream());
            boolean goingOn = true;
            while (goingOn) {
                Packet packet = Packet.read(in);
                commands.answered(packet);
                Mark mark = atReply;
                if (mark != null) {
                    atReply = null;
                    goingOn = isHeardOf(mark, packet);
                }
                if (goingOn) {
                    packet.write(out, in.available() == 0);
                }
            }
        } catch (IOException e) {
            // Either side has gone; the other follows.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cut();
    }

    /** Whether the client gets the answer. */
    private boolean isHeardOf(Mark mark, Packet answer) throws InterruptedException {
        // Before the client can hear of the cut, and ask.
        mark.answered(answer.asAnswer());
        if (mark.strike() != Strike.HOLD_REPLY) {
            cut();
            mark.strikes();
            return false;
        }
        mark.strikes();
        while (!mark.isReleasedWithin(HOLD_MILLIS)) {
            if (cut) {
                return false;
            }
        }
        return true;
    }

    void cut() {
        cut = true;
        closeQuietly(client);
        closeQuietly(server);
        proxy.gone(this);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was on its way out.
        }
    }

    /** A packet with its header of four bytes. */
    record Packet(byte[] bytes) {
        static Packet read(DataInputStream in) throws IOException {
            byte[] header = new byte[4];
            in.readFully(header);
            int length = (header[0] & 255) | (header[1] & 255) << 8 | (header[2] & 255) << 16;
            byte[] bytes = Arrays.copyOf(header, 4 + length);
            in.readFully(bytes, 4, length);
            return new Packet(bytes);
        }

        int sequence() {
            return bytes[3] & 255;
        }

        int length() {
            return bytes.length - 4;
        }

        /** The unsigned byte at a place of the payload. */
        int at(int index) {
            return bytes[4 + index] & 255;
        }

        int intAt(int index) {
            return at(index) | at(index + 1) << 8 | at(index + 2) << 16 | at(index + 3) << 24;
        }

        String asAnswer() {
            return switch (length() == 0 ? -1 : at(0)) {
                case 0 -> "OK";
                case 255 -> "ERROR " + (at(1) | at(2) << 8);
                default -> "ROWS";
            };
        }

        void write(OutputStream out) throws IOException {
            write(out, true);
        }

        void write(OutputStream out, boolean flush) throws IOException {
            out.write(bytes);
            if (flush) {
                out.flush();
            }
        }
    }
}
