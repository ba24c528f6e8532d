package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.process.CallbackTrace;
import hk.yuntuo.orbit.outbox.support.process.ProcessSetting;
import hk.yuntuo.orbit.outbox.support.process.SenderProcess;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.Submission;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A schema, a platform, and the processes between them. The rows say what happened, by the database's clock. */
final class ProcessScene implements AutoCloseable {
    private final TestDatabase database;
    private final OrbitSimulator platform;
    private final OrbitCredentials credentials;
    private final EntityManagerFactory factory;
    private final Outbox outbox;

    private ProcessScene(TestDatabase database) {
        this.database = database;
        this.platform = OrbitSimulator.start();
        this.credentials = platform.issueCredential(
                Requests.NAMESPACE, Requests.QUEUE, OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT);
        this.factory = database.unit();
        this.outbox = Requests.outbox(factory);
    }

    static ProcessScene open(String prefix) throws SQLException {
        TestDatabase database = TestDatabase.create(prefix);
        CallbackTrace.createTable(database);
        return new ProcessScene(database);
    }

    TestDatabase database() {
        return database;
    }

    OrbitSimulator platform() {
        return platform;
    }

    Outbox outbox() {
        return outbox;
    }

    /** Commits a command and its business row. */
    String enqueue() {
        String id = OperationId.next().value();
        outbox.transactions().inTransaction(id, em -> {
            outbox.enqueue(em, id, Requests.of("{}"));
            em.persist(new BusinessJob(id, id));
            return id;
        });
        return id;
    }

    List<String> enqueue(int count) {
        return IntStream.range(0, count).mapToObj(i -> enqueue()).toList();
    }

    /** Many at once, in one transaction. */
    List<String> enqueueTogether(int count) {
        return outbox.transactions().inTransaction(OperationId.next().value(), em -> {
            List<String> ids = enqueueCommands(em, count);
            ids.forEach(id -> em.persist(new BusinessJob(id, id)));
            return ids;
        });
    }

    /** Commands without business rows, in one transaction. */
    void enqueueCommands(int count) {
        outbox.transactions().inTransaction(OperationId.next().value(), em -> enqueueCommands(em, count));
    }

    /** Commands of a megabyte each, without business rows, in one transaction. */
    void enqueueLarge(int count) {
        String document = "\"" + "x".repeat(1_000_000) + "\"";
        outbox.transactions().inTransaction(em -> {
            for (int i = 0; i < count; i++) {
                outbox.enqueue(em, OperationId.next().value(), Requests.of(document));
            }
            return count;
        });
    }

    private List<String> enqueueCommands(EntityManager em, int count) {
        List<String> ids =
                Stream.generate(() -> OperationId.next().value()).limit(count).toList();
        ids.forEach(id -> outbox.enqueue(em, id, Requests.of("{}")));
        return ids;
    }

    /** A sender in this process, without a callback. */
    OutboxSender localSender() {
        return OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
    }

    /** The platform, as a sender in this process sees it. */
    TaskPlatform client() {
        return HttpTaskPlatform.builder(platform.url(), credentials).build();
    }

    /** Between a process and the server. */
    MySqlProxy proxy() {
        return database.newProxy();
    }

    /** A sender's process, not started yet, whose callback leaves a trace. */
    SenderProcess.Launch sender() {
        return SenderProcess.on(database).platform(platform.url(), credentials).with(ProcessSetting.CALLBACK, "TRACE");
    }

    /** The same, with one delivery at a time: while it has a row, it claims nothing. */
    SenderProcess.Launch singleSender() {
        return sender().with(ProcessSetting.CONCURRENCY, 1);
    }

    /** A process that runs one business transaction. */
    SenderProcess.Launch business(String id) {
        return SenderProcess.on(database).with(ProcessSetting.ROLE, "BUSINESS").with(ProcessSetting.OPERATION, id);
    }

    /** Opens when the platform has accepted so many, before it answers. */
    CountDownLatch awaitAcceptances(int count) {
        CountDownLatch accepted = new CountDownLatch(count);
        platform.onAccepted(submission -> accepted.countDown());
        return accepted;
    }

    static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS), "nothing came");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    void awaitRequests(OrbitCall call, int count) throws SQLException {
        await("not " + count + " requests of " + call, server -> platform.requests(call) >= count);
    }

    /** Another process takes the row, whose first claim led to no submission, when its lease has ended. */
    void successorSendsOnceAfter(String lease, String id) throws SQLException {
        assertEquals(List.of(), platform.submissions());
        try (SenderProcess successor = sender().start()) {
            successor.awaitReady();
            awaitAccepted(id);
        }
        assertAccepted(id, 2);
        assertClaimedAfter(lease, id);
        assertEquals(1, platform.submissions().size());
    }

    /** Waits until no transaction holds the row. */
    void awaitUnlocked(String id) throws SQLException {
        database.rows("SELECT state FROM sender_outbox WHERE operation_id = '" + id + "' FOR UPDATE");
    }

    String row(String id, String columns) throws SQLException {
        return database.value("SELECT " + columns + " FROM sender_outbox WHERE operation_id = '" + id + "'");
    }

    /** The end of the first claim's lease, which the row is still under. */
    String firstLease(String id) throws SQLException {
        assertEquals(
                "SENDING|1|1|30000000",
                row(id, "state, lease_epoch, send_count, TIMESTAMPDIFF(MICROSECOND, updated_at, due_at)"));
        return row(id, "due_at");
    }

    /** The claim that led to the acceptance was made when the earlier lease had ended, by the database's own clock. */
    void assertClaimedAfter(String lease, String id) throws SQLException {
        assertEquals(
                "1",
                database.value(
                        "SELECT claimed_at >= '" + lease + "' FROM callback_trace WHERE operation_id = '" + id + "'"));
    }

    /** Waits until the row's lease has ended by itself, untouched. */
    void awaitLeaseOver(String id) throws SQLException {
        awaitRows(
                1,
                "state = 'SENDING' AND lease_epoch = 1 AND due_at < UTC_TIMESTAMP(6) AND operation_id = '" + id + "'");
    }

    void awaitAccepted(String id) throws SQLException {
        awaitRows(1, "state = 'ACCEPTED' AND operation_id = '" + id + "'");
    }

    void awaitRows(int count, String condition) throws SQLException {
        String sql = "SELECT COUNT(*) FROM sender_outbox WHERE " + condition;
        List<String> expected = List.of(Integer.toString(count));
        await(
                "not " + count + " rows with " + condition,
                server -> TestDatabase.rows(server, sql).equals(expected));
    }

    /** Looks at intervals that the server measures: leases take their time, and processes that start need the processor. */
    private void await(String otherwise, Condition condition) throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
        try (Connection server = database.connect()) {
            while (!condition.holds(server)) {
                assertTrue(System.nanoTime() < end, otherwise);
                TestDatabase.execute(server, "DO SLEEP(0.05)");
            }
        }
    }

    /** Accepted in this epoch, and its callback ran to the end once, then. */
    void assertAccepted(String id, int epoch) throws SQLException {
        String task = taskOf(id);
        assertEquals(
                "ACCEPTED|" + epoch + "|" + epoch + "|" + task, row(id, "state, lease_epoch, send_count, task_id"));
        assertEquals(task, database.value("SELECT task_id FROM business_job WHERE operation_id = '" + id + "'"));
        assertEquals(List.of(epoch + "|" + task), traces(id));
    }

    List<String> traces(String id) throws SQLException {
        return database.rows("SELECT lease_epoch, task_id FROM callback_trace WHERE operation_id = '" + id + "'");
    }

    /** The one task of the operation. */
    String taskOf(String id) {
        List<String> tasks = platform.tasks().stream()
                .filter(task -> task.submissionKey().endsWith(id))
                .map(task -> task.taskId())
                .toList();
        assertEquals(1, tasks.size(), () -> "tasks of one operation: " + tasks);
        return tasks.get(0);
    }

    List<Submission> submissionsOf(String id) {
        return platform.submissions().stream()
                .filter(submission -> ("outbox-task-" + id).equals(submission.submissionKey()))
                .toList();
    }

    @Override
    public void close() {
        platform.close();
        database.close();
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds(Connection server) throws SQLException;
    }
}
