package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.examples.taskoutbox.JobService;
import hk.yuntuo.orbit.examples.taskoutbox.SenderJob;
import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The integration itself, where the command line cannot lead. */
class JobServiceIT {
    private static SenderSchema schema;
    private static Database database;
    private static JobService jobs;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void create() throws Exception {
        schema = SenderSchema.initialised();
        database = Database.open(schema.address());
        jobs = database.jobs(new OrbitTarget(SenderSchema.NAMESPACE, SenderSchema.QUEUE));
    }

    @AfterAll
    static void drop() {
        database.close();
        schema.close();
    }

    @Test
    void halfASurrogatePairIsRefusedAndNothingIsStored() throws Exception {
        InvalidInputException e = assertThrows(InvalidInputException.class, () -> jobs.enqueue(id, "a\uD83D"));
        assertEquals("sourceRef", e.field());
        assertEquals(List.of("0 0"), schema.query(rows()));
    }

    @Test
    void aBusinessRowThatCannotBeWrittenTakesTheCommandWithIt() throws Exception {
        schema.execute(
                "INSERT INTO sender_jobs (namespace_id, operation_id, source_ref) VALUES ('ns', '" + id + "', 'a')");
        assertThrows(RuntimeException.class, () -> jobs.enqueue(id, "a"));
        assertEquals(List.of("0 1"), schema.query(rows()));
    }

    @Test
    void aBusinessRowWithOtherContentOrNoneIsAConflict() throws Exception {
        assertEquals(EnqueueResult.INSERTED, jobs.enqueue(id, "a"));
        assertEquals(EnqueueResult.DUPLICATE, jobs.enqueue(id, "a"));
        schema.execute("UPDATE sender_jobs SET source_ref = 'b' WHERE operation_id = '" + id + "'");
        assertThrows(OutboxConflictException.class, () -> jobs.enqueue(id, "a"));
        schema.execute("DELETE FROM sender_jobs WHERE operation_id = '" + id + "'");
        assertThrows(OutboxConflictException.class, () -> jobs.enqueue(id, "a"));
        assertEquals(List.of("1 0"), schema.query(rows()));
        schema.execute("DELETE FROM sender_outbox");
    }

    @Test
    void theCreationTimeIsTheDatabasesInUtcWhateverTheSessionsZone() throws Exception {
        DatabaseAddress address = schema.address();
        DatabaseAddress farAway = new DatabaseAddress(
                address.url() + (address.url().contains("?") ? "&" : "?") + "sessionVariables=time_zone='-09:30'",
                address.user(),
                address.password());
        try (Database other = Database.open(farAway)) {
            JobService there = other.jobs(new OrbitTarget(SenderSchema.NAMESPACE, SenderSchema.QUEUE));
            there.enqueue(id, "a");
            SenderJob job = there.job(id).orElseThrow();
            assertEquals(jobs.job(id).orElseThrow().getCreatedAt(), job.getCreatedAt());
        }
        assertEquals(
                List.of("1"),
                schema.query("SELECT ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP(6))) < 60 FROM sender_jobs"
                        + " WHERE operation_id = '" + id + "'"));
        schema.execute("DELETE FROM sender_outbox");
    }

    @Test
    void anAcceptanceIsRecordedOnBothSidesOrOnNeither() throws Exception {
        try (OrbitSimulator orbit = OrbitSimulator.start()) {
            TaskPlatform platform = HttpTaskPlatform.builder(
                            orbit.url(),
                            orbit.issueCredential(SenderSchema.NAMESPACE, SenderSchema.QUEUE, OrbitScope.values()))
                    .build();
            jobs.enqueue(id, "a");
            schema.execute("UPDATE sender_jobs SET task_id = 'another' WHERE operation_id = '" + id + "'");
            assertThrows(AcceptanceException.class, () -> jobs.sender().sendOnce(platform));
            assertEquals(OutboxState.SENDING, jobs.status(id).orElseThrow().state());
            String taskId = orbit.tasks().get(0).taskId();
            // The same task again is fine; the lease is cut short so that the row is due again.
            schema.execute("UPDATE sender_jobs SET task_id = '" + taskId + "' WHERE operation_id = '" + id + "'");
            schema.execute("UPDATE sender_outbox SET due_at = UTC_TIMESTAMP(6) WHERE operation_id = '" + id + "'");
            assertEquals(
                    OutboxState.ACCEPTED,
                    jobs.sender().sendOnce(platform).orElseThrow().state());
            assertEquals(taskId, jobs.job(id).orElseThrow().getTaskId());
            assertEquals(1, orbit.tasks().size());
        }
    }

    private String rows() {
        return "SELECT (SELECT COUNT(*) FROM sender_outbox WHERE operation_id = '" + id + "'),"
                + " (SELECT COUNT(*) FROM sender_jobs WHERE operation_id = '" + id + "')";
    }
}
