package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.task.Queue;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks the platform whether this credential's queue is the one the rows are for, before anything is submitted under it. A yes is
 * remembered for the credential for at most 60 s.
 */
final class TargetCheck {
    private static final Duration REMEMBERED = Duration.ofSeconds(60);

    private final String namespaceId;
    private final String queueId;
    private volatile @Nullable Verified verified;

    TargetCheck(String namespaceId, String queueId) {
        this.namespaceId = namespaceId;
        this.queueId = queueId;
    }

    /** Returns false if the queue or its namespace is another one; throws what the platform throws. */
    boolean matches(TaskPlatform platform, Duration timeout) {
        Object key = platform.credentialKey();
        Verified last = verified;
        if (last != null && last.covers(key)) {
            return true;
        }
        long asked = System.nanoTime();
        Queue queue = platform.getQueue(queueId, timeout);
        boolean matches = queue.id().equals(queueId) && queue.namespaceId().equals(namespaceId);
        verified = matches ? new Verified(key, asked) : null;
        return matches;
    }

    void forget() {
        verified = null;
    }

    private record Verified(Object credentialKey, long atNanos) {
        boolean covers(Object key) {
            return credentialKey.equals(key) && System.nanoTime() - atNanos < REMEMBERED.toNanos();
        }
    }
}
