package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieManager;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpTaskPlatformBuilderTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final URI URL = URI.create("https://orbit.example/base");
    private static final OrbitCredentials CREDENTIALS = new OrbitCredentials("s3cret", "team-a", "outbox");

    /** Counts who asks for the way. */
    private static final class Proxies extends ProxySelector {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public List<Proxy> select(URI uri) {
            asked.incrementAndGet();
            return List.of(Proxy.NO_PROXY);
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException failure) {
            // Not its business.
        }
    }

    @Test
    void theDefaultsAreValid() {
        assertEquals(
                "HttpTaskPlatform[https://orbit.example/base, namespaceId=team-a, queueId=outbox]",
                builder().build().toString());
    }

    @Test
    void plainHttpToOthersNeedsTheOption() {
        HttpTaskPlatformBuilder plain = HttpTaskPlatform.builder(URI.create("http://orbit.example"), CREDENTIALS);
        refused("baseUrl", plain);
        plain.allowInsecureHttp(true).build();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 999_999, 60_000_000_001L})
    void connectTimeoutsHaveBounds(long nanos) {
        refused("connectTimeout", builder().connectTimeout(Duration.ofNanos(nanos)));
        builder().connectTimeout(Duration.ofMillis(1)).build();
        builder().connectTimeout(Duration.ofMinutes(1)).build();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1023, 16 * 1024 * 1024 + 1})
    void responseLimitsHaveBounds(int bytes) {
        refused("maxResponseBytes", builder().maxResponseBytes(bytes));
        builder().maxResponseBytes(1024).build();
        builder().maxResponseBytes(16 * 1024 * 1024).build();
    }

    @Test
    void aGivenClientMustNotSendTheTokenElsewhere() {
        refused(
                "httpClient",
                builder()
                        .httpClient(HttpClient.newBuilder()
                                .followRedirects(HttpClient.Redirect.NORMAL)
                                .build()));
        refused(
                "httpClient",
                builder()
                        .httpClient(HttpClient.newBuilder()
                                .authenticator(new Authenticator() {})
                                .build()));
        refused(
                "httpClient",
                builder()
                        .httpClient(HttpClient.newBuilder()
                                .cookieHandler(new CookieManager())
                                .build()));
        refused(
                "connectTimeout",
                builder().httpClient(HttpClient.newHttpClient()).connectTimeout(Duration.ofSeconds(1)));
    }

    @Test
    void aGivenClientIsUsed() {
        try (OrbitSimulator simulator = OrbitSimulator.start()) {
            OrbitCredentials credentials = simulator.issueCredential("team-a", "outbox", OrbitScope.QUEUES_READ);
            Proxies proxies = new Proxies();
            HttpTaskPlatform platform = HttpTaskPlatform.builder(simulator.url(), credentials)
                    .httpClient(HttpClient.newBuilder().proxy(proxies).build())
                    .build();
            assertEquals("outbox", platform.getQueue("outbox", LONG).id());
            assertEquals(1, proxies.asked.get());
        }
    }

    @Test
    void noProxyIsAskedOnTheWayToThisMachine() {
        ProxySelector before = ProxySelector.getDefault();
        Proxies proxies = new Proxies();
        ProxySelector.setDefault(proxies);
        try (OrbitSimulator simulator = OrbitSimulator.start()) {
            OrbitCredentials credentials = simulator.issueCredential("team-a", "outbox", OrbitScope.QUEUES_READ);
            HttpTaskPlatform.builder(simulator.url(), credentials).build().getQueue("outbox", LONG);
            assertEquals(0, proxies.asked.get());
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    @Test
    void theResponseLimitIsKept() {
        try (OrbitSimulator simulator = OrbitSimulator.start()) {
            OrbitCredentials credentials = simulator.issueCredential("team-a", "outbox", OrbitScope.values());
            HttpTaskPlatform platform = HttpTaskPlatform.builder(simulator.url(), credentials)
                    .maxResponseBytes(1024)
                    .build();
            simulator.faults().nextOfAny(WrongAnswer.oversize(1024));
            TaskPlatformException thrown =
                    assertThrows(TaskPlatformException.class, () -> platform.getQueue("outbox", LONG));
            assertEquals(Optional.of(ResultCode.UNCONFIRMED), thrown.resultCode());
            assertEquals("outbox", platform.getQueue("outbox", LONG).id());
        }
    }

    private static HttpTaskPlatformBuilder builder() {
        return HttpTaskPlatform.builder(URL, CREDENTIALS);
    }

    private static void refused(String field, HttpTaskPlatformBuilder builder) {
        assertEquals(
                field, assertThrows(InvalidInputException.class, builder::build).field());
    }
}
