package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The options of an {@link HttpTaskPlatform}. Not thread-safe. */
public final class HttpTaskPlatformBuilder {
    private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LONGEST_CONNECT_TIMEOUT = Duration.ofMinutes(1);
    private static final int SMALLEST_RESPONSE = 1024;
    private static final int LARGEST_RESPONSE = 16 * 1024 * 1024;

    private final URI baseUrl;
    private final OrbitCredentials credentials;
    private boolean allowInsecureHttp;
    private @Nullable Duration connectTimeout;
    private int maxResponseBytes = 256 * 1024;
    private @Nullable HttpClient client;

    HttpTaskPlatformBuilder(URI baseUrl, OrbitCredentials credentials) {
        this.baseUrl = Objects.requireNonNull(baseUrl, "baseUrl");
        this.credentials = Objects.requireNonNull(credentials, "credentials");
    }

    /**
     * Whether plain http to other machines is allowed. Default false: plain http only to 127.0.0.0/8, ::1 and localhost, because it
     * shows the token and every task to the network in between.
     *
     * @param allowed true to allow it, for a network that is protected by other means
     * @return this
     */
    public HttpTaskPlatformBuilder allowInsecureHttp(boolean allowed) {
        this.allowInsecureHttp = allowed;
        return this;
    }

    /**
     * How long a new connection may take to open. Default 5 s, 1 ms to 60 s. Low: a dead address is noticed early, and a slow one never
     * reached. High: a dead address costs each call its whole time-out, which bounds the call in any case.
     *
     * @param limit the limit
     * @return this
     */
    public HttpTaskPlatformBuilder connectTimeout(Duration limit) {
        this.connectTimeout = Objects.requireNonNull(limit, "connectTimeout");
        return this;
    }

    /**
     * How large an answer may be. Default 256 KiB, 1 KiB to 16 MiB. A success past it leaves the call unconfirmed, so too low a value
     * sends accepted tasks again; a high value is memory an answer may take.
     *
     * @param limit the limit, in bytes
     * @return this
     */
    public HttpTaskPlatformBuilder maxResponseBytes(int limit) {
        this.maxResponseBytes = limit;
        return this;
    }

    /**
     * Another HTTP client than the default one, for its TLS settings, proxy or executor. It must follow no redirects and have neither an
     * authenticator nor a cookie handler. Its own connect time-out applies, so {@link #connectTimeout} must not be set as well.
     *
     * @param client the client; the caller keeps it running as long as the platform is used
     * @return this
     */
    public HttpTaskPlatformBuilder httpClient(HttpClient client) {
        this.client = Objects.requireNonNull(client, "httpClient");
        return this;
    }

    /**
     * Makes the platform. It opens no connection.
     *
     * @return the platform
     * @throws InvalidInputException if the base URL or an option breaks its rule; it names the option
     */
    public HttpTaskPlatform build() {
        BaseUrl checkedUrl = BaseUrl.of(baseUrl, allowInsecureHttp);
        if (maxResponseBytes < SMALLEST_RESPONSE || maxResponseBytes > LARGEST_RESPONSE) {
            throw new InvalidInputException("maxResponseBytes", "must be 1 KiB to 16 MiB", maxResponseBytes);
        }
        HttpClient used = client == null ? defaultClient(checkedUrl) : checked(client);
        return new HttpTaskPlatform(checkedUrl, credentials, new BoundedExchange(used, maxResponseBytes));
    }

    private HttpClient defaultClient(BaseUrl url) {
        Duration limit = connectTimeout == null ? DEFAULT_CONNECT_TIMEOUT : connectTimeout;
        if (limit.compareTo(Duration.ofMillis(1)) < 0 || limit.compareTo(LONGEST_CONNECT_TIMEOUT) > 0) {
            throw new InvalidInputException("connectTimeout", "must be 1 ms to 60 s", limit);
        }
        HttpClient.Builder builder = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(limit);
        if (url.isPlain() && url.isLoopback()) {
            // Whatever the JVM's proxy settings say, the token must not leave this machine unencrypted.
            builder.proxy(HttpClient.Builder.NO_PROXY);
        }
        return builder.build();
    }

    private HttpClient checked(HttpClient given) {
        if (connectTimeout != null) {
            throw new InvalidInputException("connectTimeout", "must not be set together with httpClient", null);
        }
        if (given.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new InvalidInputException("httpClient", "must follow no redirects (Redirect.NEVER)", null);
        }
        if (given.authenticator().isPresent() || given.cookieHandler().isPresent()) {
            throw new InvalidInputException("httpClient", "must have no authenticator and no cookie handler", null);
        }
        return given;
    }
}
