package hk.yuntuo.orbit.outbox.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Asks whether a Docker engine answers, before Testcontainers is touched: without an engine Testcontainers takes half a
 * second and logs errors.
 */
final class DockerEngine {

    private static final long ANSWER_MILLIS = 2_000;
    private static final int PLAIN_PORT = 2375;
    private static final ByteBuffer PING = StandardCharsets.US_ASCII
            .encode("GET /_ping HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n")
            .asReadOnlyBuffer();

    private DockerEngine() {}

    static boolean answers() {
        String host = System.getenv("DOCKER_HOST");
        if (host != null && !host.isBlank()) {
            return answers(URI.create(host.strip()));
        }
        return sockets().anyMatch(DockerEngine::answersAt);
    }

    private static boolean answers(URI host) {
        return switch (Objects.requireNonNullElse(host.getScheme(), "")) {
            case "unix" -> answersAt(Path.of(host.getPath()));
            case "tcp", "http" -> answersAt(host.getHost(), host.getPort() < 0 ? PLAIN_PORT : host.getPort());
            default -> false;
        };
    }

    /** The socket of the machine's engine, then those of a user's own. */
    private static Stream<Path> sockets() {
        Stream<Path> own =
                Stream.ofNullable(System.getenv("XDG_RUNTIME_DIR")).map(folder -> Path.of(folder, "docker.sock"));
        Path desktop = Path.of(System.getProperty("user.home"), ".docker", "run", "docker.sock");
        return Stream.of(Stream.of(Path.of("/var/run/docker.sock")), own, Stream.of(desktop))
                .flatMap(paths -> paths);
    }

    private static boolean answersAt(Path socket) {
        if (!Files.exists(socket)) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return pings(channel, UnixDomainSocketAddress.of(socket));
        } catch (IOException | UnsupportedOperationException nobody) {
            return false;
        }
    }

    private static boolean answersAt(String host, int port) {
        try (SocketChannel channel = SocketChannel.open()) {
            InetSocketAddress address = new InetSocketAddress(host, port);
            return !address.isUnresolved() && pings(channel, address);
        } catch (IOException nobody) {
            return false;
        }
    }

    private static boolean pings(SocketChannel channel, SocketAddress engine) throws IOException {
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            if (!channel.connect(engine) && (selector.select(ANSWER_MILLIS) == 0 || !channel.finishConnect())) {
                return false;
            }
            if (System.getenv("DOCKER_TLS_VERIFY") != null) {
                return true;
            }
            channel.write(PING.duplicate());
            key.interestOps(SelectionKey.OP_READ);
            selector.selectedKeys().clear();
            ByteBuffer answer = ByteBuffer.allocate(64);
            return selector.select(ANSWER_MILLIS) > 0 && channel.read(answer) > 0 && isOk(answer.flip());
        }
    }

    private static boolean isOk(ByteBuffer answer) {
        return StandardCharsets.US_ASCII.decode(answer).toString().matches("(?s)HTTP/1\\.\\d 200 .*");
    }
}
