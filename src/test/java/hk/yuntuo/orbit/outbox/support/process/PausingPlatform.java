package hk.yuntuo.orbit.outbox.support.process;

import hk.yuntuo.orbit.outbox.task.Queue;
import hk.yuntuo.orbit.outbox.task.SubmitTaskCommand;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.Task;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.time.Duration;

/** A platform whose receipts, once they are here, wait for a line of standard input before the sender gets them. */
final class PausingPlatform implements TaskPlatform {
    private final TaskPlatform platform;

    PausingPlatform(TaskPlatform platform) {
        this.platform = platform;
    }

    @Override
    public SubmitTaskResult submit(SubmitTaskCommand command, Duration timeout) {
        SubmitTaskResult receipt = platform.submit(command, timeout);
        System.out.println(SenderMain.PAUSED);
        StandardInput.awaitLine();
        return receipt;
    }

    @Override
    public Queue getQueue(String queueId, Duration timeout) {
        return platform.getQueue(queueId, timeout);
    }

    @Override
    public Task getTask(String taskId, Duration timeout) {
        return platform.getTask(taskId, timeout);
    }

    @Override
    public Task cancel(String taskId, Duration timeout) {
        return platform.cancel(taskId, timeout);
    }

    @Override
    public Object credentialKey() {
        return platform.credentialKey();
    }
}
