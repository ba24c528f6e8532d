package hk.yuntuo.orbit.outbox.testing;

import hk.yuntuo.orbit.outbox.model.OperationId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tasks of the simulated platform and the submissions it received. Every method is one step: one lock guards all of it. */
final class TaskBook {
    /** A task, and whether it was there before. */
    record Acceptance(SimulatedTask task, boolean deduplicated) {}

    private record Key(String namespaceId, String submissionKey) {}

    private final String prefix = prefix();
    private final Map<String, SimulatedTask> tasks = new LinkedHashMap<>();
    private final Map<Key, String> taskIds = new LinkedHashMap<>();
    private final List<Submission> submissions = new ArrayList<>();

    /** Notes a submission that has arrived and returns its number. */
    synchronized int arrived(@Nullable String namespaceId, @Nullable String submissionKey, byte[] document) {
        int number = submissions.size() + 1;
        submissions.add(
                new Submission(number, namespaceId, submissionKey, document, SubmissionOutcome.NOT_HANDLED, null));
        return number;
    }

    /** Notes what became of it. */
    synchronized Submission settled(int number, SubmissionOutcome outcome, @Nullable String taskId) {
        Submission s = submissions.get(number - 1);
        Submission settled = new Submission(number, s.namespaceId(), s.submissionKey(), s.document(), outcome, taskId);
        submissions.set(number - 1, settled);
        return settled;
    }

    /** The task under this key, if there is one with these bytes; a refusal if it has others. */
    synchronized Optional<Acceptance> known(String namespaceId, String submissionKey, byte[] document) {
        SimulatedTask task = tasks.get(taskIds.get(new Key(namespaceId, submissionKey)));
        if (task == null) {
            return Optional.empty();
        }
        if (!Arrays.equals(task.document(), document)) {
            throw new Refusal(409, "idempotency_conflict", "The key was used with another body.");
        }
        return Optional.of(new Acceptance(task, true));
    }

    /** Creates the task, unless another submission under this key was faster: then as {@link #known}. */
    synchronized Acceptance accept(String namespaceId, String queueId, String submissionKey, byte[] document) {
        Optional<Acceptance> known = known(namespaceId, submissionKey, document);
        if (known.isPresent()) {
            return known.get();
        }
        String taskId = String.format("task-%s-%08d", prefix, tasks.size() + 1);
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        SimulatedTask task =
                new SimulatedTask(taskId, namespaceId, queueId, submissionKey, document, now, SimulatedTask.QUEUED);
        tasks.put(taskId, task);
        taskIds.put(new Key(namespaceId, submissionKey), taskId);
        return new Acceptance(task, false);
    }

    /** Cancels a queued task; a cancelled one stays as it is; any other cannot be cancelled. */
    synchronized SimulatedTask cancel(String namespaceId, String taskId) {
        SimulatedTask task = find(namespaceId, taskId);
        if (task.status().equals(SimulatedTask.SUCCEEDED)) {
            throw new Refusal(409, "task_ended", "The task has ended.");
        }
        return replaced(task.withStatus(SimulatedTask.CANCELLED));
    }

    synchronized SimulatedTask succeed(String taskId) {
        SimulatedTask task = tasks.get(taskId);
        if (task == null || !task.status().equals(SimulatedTask.QUEUED)) {
            throw new IllegalArgumentException("no queued task " + taskId);
        }
        return replaced(task.withStatus(SimulatedTask.SUCCEEDED));
    }

    synchronized SimulatedTask find(String namespaceId, String taskId) {
        SimulatedTask task = tasks.get(taskId);
        if (task == null || !task.namespaceId().equals(namespaceId)) {
            throw new Refusal(404, "task_not_found", "There is no such task in the credential's namespace.");
        }
        return task;
    }

    synchronized List<SimulatedTask> tasks() {
        return List.copyOf(tasks.values());
    }

    synchronized List<Submission> submissions() {
        return List.copyOf(submissions);
    }

    private SimulatedTask replaced(SimulatedTask task) {
        tasks.put(task.taskId(), task);
        return task;
    }

    /** Of a later simulator, a prefix that sorts later; of two at the same time, two. */
    private static String prefix() {
        String id = OperationId.next().value();
        return id.substring(0, 12) + id.substring(24);
    }
}
