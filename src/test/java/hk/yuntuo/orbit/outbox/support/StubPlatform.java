package hk.yuntuo.orbit.outbox.support;

import hk.yuntuo.orbit.outbox.task.Queue;
import hk.yuntuo.orbit.outbox.task.SubmitTaskCommand;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.Task;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A platform in this process, for tests of the sender's own side: answers with what it is told to. */
public final class StubPlatform implements TaskPlatform {
    private final Function<SubmitTaskCommand, SubmitTaskResult> answer;
    private final List<Duration> timeouts = new CopyOnWriteArrayList<>();
    private final List<String> keys = new CopyOnWriteArrayList<>();

    public StubPlatform(Function<SubmitTaskCommand, SubmitTaskResult> answer) {
        this.answer = answer;
    }

    public static StubPlatform accepting() {
        return new StubPlatform(StubPlatform::receipt);
    }

    public static SubmitTaskResult receipt(SubmitTaskCommand command) {
        return receipt(command, "task-of-" + command.submissionKey(), "{\"stub\":true}");
    }

    public static SubmitTaskResult receipt(SubmitTaskCommand command, String taskId, String json) {
        return new SubmitTaskResult(
                taskId, Requests.NAMESPACE, Requests.QUEUE, command.submissionKey(), false, Instant.EPOCH, json);
    }

    /** The time-outs of the submissions. */
    public List<Duration> timeouts() {
        return timeouts;
    }

    /** The keys of the submissions, in order. */
    public List<String> keys() {
        return keys;
    }

    @Override
    public Queue getQueue(String queueId, Duration timeout) {
        return new Queue(queueId, Requests.NAMESPACE);
    }

    @Override
    public SubmitTaskResult submit(SubmitTaskCommand command, Duration timeout) {
        timeouts.add(timeout);
        keys.add(command.submissionKey());
        return answer.apply(command);
    }

    @Override
    public Task getTask(String taskId, Duration timeout) {
        throw new AssertionError("the sender reads no task");
    }

    @Override
    public Task cancel(String taskId, Duration timeout) {
        throw new AssertionError("the sender cancels no task");
    }
}
