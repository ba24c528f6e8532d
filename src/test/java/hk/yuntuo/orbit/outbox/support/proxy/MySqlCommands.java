package hk.yuntuo.orbit.outbox.support.proxy;

import hk.yuntuo.orbit.outbox.support.proxy.MySqlLink.Packet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What a client says on one connection. Source: the pages on the client/server protocol of MySQL's internals documentation. */
final class MySqlCommands {
    private static final int COM_QUERY = 0x03;
    private static final int COM_STMT_PREPARE = 0x16;
    private static final int COM_STMT_EXECUTE = 0x17;
    private static final int CLIENT_COMPRESS = 1 << 5;
    private static final int CLIENT_SSL = 1 << 11;
    private static final int CLIENT_ZSTD = 1 << 26;
    private static final int CLIENT_QUERY_ATTRIBUTES = 1 << 27;
    /** A payload of this length goes on in the next packet. */
    private static final int MAX_PAYLOAD = 0xffffff;

    private final Map<Integer, String> prepared = new ConcurrentHashMap<>();
    private volatile @Nullable String preparing;
    private boolean greeted;
    private boolean queryAttributes;
    private boolean continues;

    /** The client's wish for something this proxy cannot read. */
    static final class UnreadableException extends IOException {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message) {
            super(message);
        }
    }

    /** The SQL text that this packet begins to send or to run; null if it does neither. */
    @Nullable
    String sent(Packet packet) throws UnreadableException {
        boolean continuation = continues;
        continues = packet.length() == MAX_PAYLOAD;
        if (!greeted) {
            greeted = true;
            greeting(packet.intAt(0));
            return null;
        }
        if (packet.sequence() != 0 || continuation || packet.length() == 0) {
            return null;
        }
        return switch (packet.at(0)) {
            case COM_QUERY -> text(packet, queryStart(packet));
            case COM_STMT_PREPARE -> {
                preparing = text(packet, 1);
                yield null;
            }
            case COM_STMT_EXECUTE -> prepared.get(packet.intAt(1));
            default -> null;
        };
    }

    /** The server's packet, of which the answer to a preparation names the statement. */
    void answered(Packet packet) {
        String sql = preparing;
        if (sql != null) {
            preparing = null;
            if (packet.length() >= 5 && packet.at(0) == 0) {
                prepared.put(packet.intAt(1), sql);
            }
        }
    }

    private void greeting(int capabilities) throws UnreadableException {
        if ((capabilities & CLIENT_SSL) != 0) {
            throw new UnreadableException("the client wants TLS; use sslMode=DISABLED through the proxy");
        }
        if ((capabilities & (CLIENT_COMPRESS | CLIENT_ZSTD)) != 0) {
            throw new UnreadableException("the client wants compression; it cannot be read through the proxy");
        }
        queryAttributes = (capabilities & CLIENT_QUERY_ATTRIBUTES) != 0;
    }

    /** Behind the command byte and the counts of query attributes, of which a JDBC client without interceptors sends none. */
    private int queryStart(Packet packet) throws UnreadableException {
        if (!queryAttributes) {
            return 1;
        }
        if (packet.at(1) != 0) {
            throw new UnreadableException("the client sends query attributes; they cannot be read by the proxy");
        }
        return 3;
    }

    private static String text(Packet packet, int from) {
        return new String(packet.bytes(), 4 + from, packet.length() - from, StandardCharsets.UTF_8);
    }
}
