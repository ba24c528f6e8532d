package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.SimulatedTask;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** The whole way for each test: a schema, an outbox and a sender over it, and a platform behind real HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
abstract class SendingTest {
    static final OrbitScope[] SENDING = {OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT};
    /** Ends at the first failure. */
    static final RunOptions QUICK =
            RunOptions.builder().pollInterval(Duration.ofMillis(20)).build();
    /** Goes on after a failure. */
    static final RunOptions PATIENT = RunOptions.builder()
            .pollInterval(Duration.ofMillis(20))
            .retryDelay(Duration.ofMillis(50))
            .build();

    private static final long WAIT_SECONDS = 60;
    private static final long LOOK_NANOS = 5_000_000;

    TestDatabase database;
    EntityManagerFactory factory;
    Outbox outbox;
    OrbitSimulator simulator;
    OrbitCredentials credentials;
    TaskPlatform platform;
    private final Deque<RunningSender> running = new ArrayDeque<>();

    @BeforeAll
    void open() throws SQLException {
        database = newDatabase(getClass().getSimpleName().toLowerCase(Locale.ROOT));
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    TestDatabase newDatabase(String prefix) throws SQLException {
        return TestDatabase.create(prefix);
    }

    @AfterAll
    void close() {
        if (database != null) {
            database.close();
        }
    }

    @BeforeEach
    void noRowsAndANewPlatform() throws SQLException {
        database.update("DELETE FROM sender_outbox");
        database.update("DELETE FROM business_job");
        simulator = OrbitSimulator.start();
        credentials = simulator.issueCredential(Requests.NAMESPACE, Requests.QUEUE, SENDING);
        platform = platformAt(simulator.url());
    }

    @AfterEach
    void stop() {
        while (!running.isEmpty()) {
            running.pop().close();
        }
        simulator.close();
    }

    TaskPlatform platformAt(URI url) {
        return HttpTaskPlatform.builder(url, credentials).build();
    }

    OutboxSender sender() {
        return sender(factory, null);
    }

    static OutboxSender sender(EntityManagerFactory factory, @Nullable OnAccepted callback) {
        OutboxSender.Builder builder =
                OutboxSender.builder(factory).namespaceId(Requests.NAMESPACE).queueId(Requests.QUEUE);
        return callback == null ? builder.build() : builder.onAccepted(callback).build();
    }

    /** Stopped after the test at the latest. */
    RunningSender start(OutboxSender sender, RunOptions options) {
        return start(sender, platform, options);
    }

    RunningSender start(OutboxSender sender, TaskPlatform by, RunOptions options) {
        RunningSender started = RunningSender.start(sender, by, options);
        running.push(started);
        return started;
    }

    /** Commands, due at once in this order, each with its business row. */
    List<String> enqueue(int count) throws SQLException {
        List<String> ids = OutboxRows.enqueue(outbox, count);
        for (String id : ids) {
            database.update("INSERT INTO business_job VALUES ('" + id + "', '" + id + "', NULL)");
        }
        return ids;
    }

    static void link(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) {
        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
    }

    /** As if the leases had passed. */
    void expireLeases() throws SQLException {
        database.update("UPDATE sender_outbox SET due_at = UTC_TIMESTAMP(6) WHERE state = 'SENDING'");
    }

    OutboxRecord row(String id) {
        return outbox.status(id).orElseThrow();
    }

    @Nullable
    String taskOfJob(String id) throws SQLException {
        String taskId = database.value("SELECT task_id FROM business_job WHERE operation_id = '" + id + "'");
        return taskId.equals("null") ? null : taskId;
    }

    int count(OutboxState state) throws SQLException {
        return Integer.parseInt(database.value("SELECT COUNT(*) FROM sender_outbox WHERE state = '" + state + "'"));
    }

    void awaitState(OutboxState state, int count) {
        until("not " + count + " rows in " + state, () -> count(state) == count);
    }

    void until(String otherwise, Callable<Boolean> condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!isTrue(condition)) {
            assertTrue(System.nanoTime() < end, () -> otherwise + "; the runs: " + running);
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static boolean isTrue(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static boolean isDeduplicated(OutboxRecord row) {
        return row.receiptJson() != null && row.receiptJson().replace(" ", "").contains("\"deduplicated\":true");
    }

    /** Every command accepted, with the one task of its key, and no task beside. */
    void assertAllAcceptedWithOneTaskEach(List<String> ids) {
        List<SimulatedTask> tasks = simulator.tasks();
        assertEquals(ids.size(), tasks.size());
        assertEquals(ids.size(), new HashSet<>(ids).size());
        for (String id : ids) {
            OutboxRecord row = row(id);
            List<String> taskIds = tasks.stream()
                    .filter(task -> task.submissionKey().equals("outbox-task-" + id))
                    .map(SimulatedTask::taskId)
                    .toList();
            assertEquals(OutboxState.ACCEPTED, row.state(), id);
            assertEquals(taskIds, List.of(row.taskId()), id);
        }
    }
}
