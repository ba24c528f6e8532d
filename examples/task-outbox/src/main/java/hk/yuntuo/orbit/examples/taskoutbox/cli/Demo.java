package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.examples.taskoutbox.JobService;
import hk.yuntuo.orbit.examples.taskoutbox.SenderJob;
import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.jpa.OutboxEntity;
import hk.yuntuo.orbit.outbox.jpa.OutboxKey;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.LeaseLostException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import hk.yuntuo.orbit.outbox.task.SubmitTaskCommand;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.Task;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import jakarta.persistence.EntityManager;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** One operation from its business transaction to its task. Whatever it prints was read back and checked. */
final class Demo {
    private static final String SOURCE_REF = "objects/input.txt";
    private static final Duration CALL = Duration.ofSeconds(5);
    private static final long IDLE_MILLIS = 100;

    private final Database database;
    private final OrbitTarget target;
    private final TaskPlatform platform;
    private final JobService jobs;

    Demo(Database database, OrbitTarget target, TaskPlatform platform) {
        this.database = database;
        this.target = target;
        this.platform = platform;
        this.jobs = database.jobs(target);
    }

    /** Returns the last two lines. */
    List<String> run(String operationId) {
        require(
                jobs.enqueue(operationId, SOURCE_REF) == EnqueueResult.INSERTED,
                "The new operation was there already.");
        require(
                jobs.enqueue(operationId, SOURCE_REF) == EnqueueResult.DUPLICATE,
                "The repeated operation was taken for a new one.");
        String taskId = send(operationId);
        checkBusinessRow(operationId, taskId);
        checkTask(operationId, taskId);
        platform.cancel(taskId, CALL);
        return List.of(
                StatusLine.of(committed(operationId)),
                "local_duplicate=true accepted_once=true execution_success_not_implied=true");
    }

    private String send(String operationId) {
        OutboxSender sender = jobs.sender();
        while (true) {
            boolean idle = sendNext(sender);
            OutboxRecord record = committed(operationId);
            if (record.state() == OutboxState.ACCEPTED) {
                return Objects.requireNonNull(record.taskId(), "taskId");
            }
            if (record.state() == OutboxState.REVIEW) {
                throw new CommandFailedException(
                        ExitStatus.REVIEW, "The operation went to REVIEW with " + record.resultCode() + ".", null);
            }
            if (idle) {
                pause();
            }
        }
    }

    private boolean sendNext(OutboxSender sender) {
        try {
            return sender.sendOnce(platform).isEmpty();
        } catch (LeaseLostException e) {
            // Another sender of the queue has it; what became of it is in the row.
            return true;
        }
    }

    private void checkBusinessRow(String operationId, String taskId) {
        SenderJob job = jobs.job(operationId)
                .orElseThrow(
                        () -> new CommandFailedException(ExitStatus.FAILURE, "The business row is not there.", null));
        require(taskId.equals(job.getTaskId()), "The business row does not hold the accepted task.");
    }

    /** The platform knows the task, and the key leads to no other: the same bytes under it again are told the same task. */
    private void checkTask(String operationId, String taskId) {
        Task task = platform.getTask(taskId, CALL);
        require(
                task.namespaceId().equals(target.namespaceId())
                        && task.queueId().equals(target.queueId()),
                "The task is in another namespace or queue.");
        SubmitTaskResult again = platform.submit(storedCommand(operationId), CALL);
        require(
                again.deduplicated() && again.taskId().equals(taskId),
                "The platform made a second task for the same key.");
    }

    private SubmitTaskCommand storedCommand(String operationId) {
        try (EntityManager em = database.factory().createEntityManager()) {
            OutboxEntity row = em.find(OutboxEntity.class, new OutboxKey(target.namespaceId(), operationId));
            return new SubmitTaskCommand(
                    row.getSubmissionKey(), row.getRequestJson().getBytes(StandardCharsets.UTF_8));
        }
    }

    private OutboxRecord committed(String operationId) {
        return jobs.status(operationId)
                .orElseThrow(() ->
                        new CommandFailedException(ExitStatus.NOT_FOUND, "The operation is not in the outbox.", null));
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(IDLE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException(ExitStatus.FAILURE, "Interrupted.", e);
        }
    }

    private static void require(boolean truth, String message) {
        if (!truth) {
            throw new CommandFailedException(ExitStatus.FAILURE, message, null);
        }
    }
}
