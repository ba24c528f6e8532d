package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Orbit over HTTP, as {@code docs/orbit-http.md} defines it. Every call ends within its time-out, the body of the answer included, and
 * either returns what a 200 or 201 with readable JSON said, or throws a {@link TaskPlatformException} that says whether the call may
 * have taken effect all the same. Nothing is retried here and no redirect is followed. (The JDK's client may open a connection twice,
 * and may repeat a read whose connection ended before any answer. It does not repeat a POST, unless the JVM is told to by
 * {@code jdk.httpclient.enableAllMethodRetry}; the idempotency key makes that harmless.)
 *
 * <p>The token is sent to the base URL only. It, the documents and the receipts appear in no exception, log or {@code toString()}.
 * Thread-safe; calls run in parallel. It holds connections but nothing that must be closed.
 */
public final class HttpTaskPlatform implements TaskPlatform {
    private static final Pattern KEY = Pattern.compile("[!-~]{1,64}");
    private static final Pattern TASK_ID = Pattern.compile("[!-~]{1,128}");
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    private final BaseUrl baseUrl;
    private final OrbitCredentials credentials;
    private final BoundedExchange exchange;
    private final CredentialKey credentialKey;

    HttpTaskPlatform(BaseUrl baseUrl, OrbitCredentials credentials, BoundedExchange exchange) {
        this.baseUrl = baseUrl;
        this.credentials = credentials;
        this.exchange = exchange;
        this.credentialKey = CredentialKey.of(baseUrl, credentials);
    }

    /**
     * Starts a platform with the default options.
     *
     * @param baseUrl where Orbit is: an http or https URL without user information, query and fragment; a path is kept as a prefix
     * @param credentials the credential to use
     * @return a builder
     */
    public static HttpTaskPlatformBuilder builder(URI baseUrl, OrbitCredentials credentials) {
        return new HttpTaskPlatformBuilder(baseUrl, credentials);
    }

    /**
     * Makes a platform with the default options from environment variables: the base URL from {@code ORBIT_URL}, the credential as in
     * {@link OrbitCredentials#fromEnvironment}. An empty variable counts as not set.
     *
     * @param environment the variables, as from {@link System#getenv()}
     * @return the platform
     * @throws InvalidInputException if something is missing or breaks a rule
     */
    public static HttpTaskPlatform fromEnvironment(Map<String, String> environment) {
        String url = environment.get("ORBIT_URL");
        if (url == null || url.isEmpty()) {
            throw new InvalidInputException("ORBIT_URL", "must be set", null);
        }
        URI baseUrl;
        try {
            baseUrl = URI.create(url);
        } catch (IllegalArgumentException notAUrl) {
            // Its message would show the text, and with it a password.
            throw new InvalidInputException("ORBIT_URL", "must be an http or https URL", null);
        }
        return builder(baseUrl, OrbitCredentials.fromEnvironment(environment)).build();
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidInputException if the time-out is not 1 ms to 1 h
     */
    @Override
    public Queue getQueue(String queueId, Duration timeout) {
        return call("getQueue", request("v1", "queues", queueId).GET(), timeout).queue();
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidInputException if the time-out is not 1 ms to 1 h, or the key not 1 to 64 visible ASCII characters
     */
    @Override
    public SubmitTaskResult submit(SubmitTaskCommand command, Duration timeout) {
        if (!KEY.matcher(command.submissionKey()).matches()) {
            throw new InvalidInputException(
                    "submissionKey", "must be 1 to 64 visible ASCII characters", command.submissionKey());
        }
        HttpRequest.Builder request = request("v1", "tasks")
                .header("Idempotency-Key", command.submissionKey())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(command.document()));
        return call("submit", request, timeout).receipt();
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidInputException if the time-out is not 1 ms to 1 h, or the id not 1 to 128 visible ASCII characters
     */
    @Override
    public Task getTask(String taskId, Duration timeout) {
        HttpRequest.Builder request =
                request("v1", "tasks", checkedTaskId(taskId)).GET();
        return about(taskId, "getTask", call("getTask", request, timeout).task());
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidInputException if the time-out is not 1 ms to 1 h, or the id not 1 to 128 visible ASCII characters
     */
    @Override
    public Task cancel(String taskId, Duration timeout) {
        HttpRequest.Builder request =
                request("v1", "tasks", checkedTaskId(taskId), "cancel").POST(HttpRequest.BodyPublishers.noBody());
        return about(taskId, "cancel", call("cancel", request, timeout).task());
    }

    /**
     * {@inheritDoc} Equal for equal tokens at equal base URLs, also between instances.
     */
    @Override
    public Object credentialKey() {
        return credentialKey;
    }

    /** Leaves the token out. */
    @Override
    public String toString() {
        return "HttpTaskPlatform[" + baseUrl + ", namespaceId=" + credentials.namespaceId() + ", queueId="
                + credentials.queueId() + "]";
    }

    private HttpRequest.Builder request(String... segments) {
        HttpRequest.Builder request = HttpRequest.newBuilder(baseUrl.resolve(segments))
                .header("Authorization", "Bearer " + credentials.token())
                .header("Accept", "application/json");
        // Over plain http the JDK's client would ask to upgrade to HTTP/2.
        return baseUrl.isPlain() ? request.version(HttpClient.Version.HTTP_1_1) : request;
    }

    private Reply call(String name, HttpRequest.Builder request, Duration timeout) {
        if (timeout.compareTo(SHORTEST) < 0 || timeout.compareTo(LONGEST) > 0) {
            throw new InvalidInputException("timeout", "must be 1 ms to 1 h", timeout);
        }
        HttpAnswer answer = exchange.send(name, request.build(), timeout);
        return Reply.of(name, HttpOutcomes.success(name, answer));
    }

    private static String checkedTaskId(String taskId) {
        if (!TASK_ID.matcher(taskId).matches()) {
            throw new InvalidInputException("taskId", "must be 1 to 128 visible ASCII characters", taskId);
        }
        return taskId;
    }

    private static Task about(String taskId, String call, Task task) {
        if (!task.id().equals(taskId)) {
            throw TaskPlatformException.unconfirmed(
                    call + ": the answer is about another task; whether it took effect is unknown", null);
        }
        return task;
    }

    /** Tells credentials apart without holding one. */
    private record CredentialKey(String sha256) {
        static CredentialKey of(BaseUrl baseUrl, OrbitCredentials credentials) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256")
                        .digest((baseUrl + "\n" + credentials.token()).getBytes(StandardCharsets.UTF_8));
                return new CredentialKey(HexFormat.of().formatHex(digest));
            } catch (NoSuchAlgorithmException everyJavaHasIt) {
                throw new IllegalStateException(everyJavaHasIt);
            }
        }

        /** Leaves the digest out: a weak token could be guessed from it. */
        @Override
        public String toString() {
            return "CredentialKey";
        }
    }
}
