package hk.yuntuo.orbit.outbox.testing;

import com.sun.net.httpserver.HttpServer;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The task platform for tests and demos: a real HTTP server on the loopback address that keeps the contract of
 * {@code docs/orbit-http.md}, idempotency included, in memory, records what it receives, and fails on demand. Its tasks are never
 * executed: they stay queued until they are cancelled or {@link #succeed} is called. Thread-safe.
 */
public final class OrbitSimulator implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService workers;
    private final Grants grants = new Grants();
    private final TaskBook book = new TaskBook();
    private final FaultQueue faults = new FaultQueue();
    private final OrbitApi api = new OrbitApi(grants, book);

    private OrbitSimulator(HttpServer server, ExecutorService workers) {
        this.server = server;
        this.workers = workers;
    }

    /**
     * Starts a simulator at any free port.
     *
     * @return the simulator; close it
     * @throws UncheckedIOException if it cannot listen
     */
    public static OrbitSimulator start() {
        return start(0);
    }

    /**
     * Starts a simulator.
     *
     * @param port the port, 1 to 65535; 0 for any free one
     * @return the simulator; close it
     * @throws UncheckedIOException if it cannot listen there
     */
    public static OrbitSimulator start(int port) {
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            // The JDK's server sends head and body apart; without this each answer may wait 40 ms for an
            // acknowledgement.
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
        HttpServer server;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException busy) {
            throw new UncheckedIOException(busy);
        }
        ExecutorService workers = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "orbit-simulator");
            thread.setDaemon(true);
            return thread;
        });
        OrbitSimulator simulator = new OrbitSimulator(server, workers);
        server.createContext("/", new OrbitEndpoint(simulator.api, simulator.faults));
        server.setExecutor(workers);
        server.start();
        return simulator;
    }

    /**
     * Where it listens.
     *
     * @return the base URL for clients
     */
    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /**
     * Makes a credential with a new random token for a queue, which is created if it is not there. Scopes that are not given are
     * missing: calls that need them are refused with 403.
     *
     * @param namespaceId the namespace
     * @param queueId the queue
     * @param scopes what the credential may do
     * @return the credential
     */
    public OrbitCredentials issueCredential(String namespaceId, String queueId, OrbitScope... scopes) {
        OrbitCredentials credentials = new OrbitCredentials(Grants.newToken(), namespaceId, queueId);
        grants.add(credentials, scopes);
        return credentials;
    }

    /**
     * Takes a credential that was made elsewhere, such as one read from a file; replaces what its token could do before.
     *
     * @param credentials the credential
     * @param scopes what it may do
     */
    public void addCredential(OrbitCredentials credentials, OrbitScope... scopes) {
        grants.add(credentials, scopes);
    }

    /**
     * Makes a credential unknown: its calls are refused with 401 from now on.
     *
     * @param credentials the credential
     */
    public void revoke(OrbitCredentials credentials) {
        grants.revoke(credentials);
    }

    /**
     * Creates a queue that no credential is for yet.
     *
     * @param namespaceId the namespace
     * @param queueId the queue
     */
    public void addQueue(String namespaceId, String queueId) {
        grants.addQueue(namespaceId, queueId);
    }

    /**
     * Limits the body of a submission; past it the answer is 413.
     *
     * @param limit the limit in bytes, 16 MiB at first
     */
    public void maxRequestBytes(int limit) {
        api.maxRequestBytes(limit);
    }

    /**
     * Sets what is run after a submission was accepted (or repeated one that was) and before its answer is sent, on the thread that
     * serves it: it may block. If it throws, the connection is cut. Replaces the one before.
     *
     * @param hook gets the submission
     */
    public void onAccepted(Consumer<Submission> hook) {
        api.onAccepted(hook);
    }

    /**
     * The faults to come.
     *
     * @return the queue to arm them in
     */
    public FaultQueue faults() {
        return faults;
    }

    /**
     * The submissions received so far.
     *
     * @return a copy, in the order of arrival
     */
    public List<Submission> submissions() {
        return book.submissions();
    }

    /**
     * The tasks accepted so far.
     *
     * @return a copy, in the order of acceptance
     */
    public List<SimulatedTask> tasks() {
        return book.tasks();
    }

    /**
     * How many requests of a kind were received, whatever became of them.
     *
     * @param call the kind
     * @return the number
     */
    public int requests(OrbitCall call) {
        return faults.requests(call);
    }

    /**
     * Ends a queued task well; it can no longer be cancelled.
     *
     * @param taskId the task
     * @throws IllegalArgumentException if there is no such task, or it is not queued
     */
    public void succeed(String taskId) {
        book.succeed(taskId);
    }

    /** Stops at once: waiting faults end, open connections are cut. Can be called again. */
    @Override
    public void close() {
        workers.shutdownNow();
        server.stop(0);
    }
}
