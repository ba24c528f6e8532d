package hk.yuntuo.orbit.outbox.task;

import java.time.Duration;

/**
 * The port to the task platform. Implementations are thread-safe, hold one credential for one namespace, and answer every call
 * within its time-out (a monotonic duration, at least 1 ms) or throw {@link TaskPlatformException}. They never retry by themselves:
 * the outbox does, under the same key. They honour interruption by failing the call with the thread's interrupt flag set.
 */
public interface TaskPlatform {
    /**
     * Reads a queue.
     *
     * @param queueId the queue
     * @param timeout how long the answer may take
     * @return the queue as this credential sees it
     * @throws TaskPlatformException if there was no such answer
     */
    Queue getQueue(String queueId, Duration timeout);

    /**
     * Submits a task. Submitting the same bytes under the same key again yields the same task, with {@code deduplicated} set.
     *
     * @param command the key and the bytes
     * @param timeout how long the answer may take
     * @return the platform's receipt, as received: whether it names our namespace, queue and key is for the caller to check
     * @throws TaskPlatformException if there was no such answer; the task may have been accepted all the same
     */
    SubmitTaskResult submit(SubmitTaskCommand command, Duration timeout);

    /**
     * Reads a task.
     *
     * @param taskId the task
     * @param timeout how long the answer may take
     * @return the task
     * @throws TaskPlatformException if there was no such answer
     */
    Task getTask(String taskId, Duration timeout);

    /**
     * Cancels a task.
     *
     * @param taskId the task
     * @param timeout how long the answer may take
     * @return the task after the cancellation
     * @throws TaskPlatformException if there was no such answer
     */
    Task cancel(String taskId, Duration timeout);

    /**
     * Stands for the credential in use. The sender checks the target queue again when it changes, so an implementation whose
     * credential can be exchanged must return another (unequal) value after the exchange. It must not reveal the credential.
     *
     * @return a value with {@code equals}; by default this instance
     */
    default Object credentialKey() {
        return this;
    }
}
