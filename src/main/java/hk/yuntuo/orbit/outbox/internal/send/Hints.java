package hk.yuntuo.orbit.outbox.internal.send;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Wakes the senders of a queue in this JVM when a command for it was committed. A hint may be lost or idle: polling is the rule. */
public final class Hints {
    private static final ConcurrentHashMap<Target, Set<Runnable>> SLEEPERS = new ConcurrentHashMap<>();

    private Hints() {}

    public static void wake(String namespaceId, String queueId) {
        SLEEPERS.getOrDefault(new Target(namespaceId, queueId), Set.of()).forEach(Runnable::run);
    }

    /** Registers until the registration is closed. */
    static Registration register(String namespaceId, String queueId, Runnable wakeUp) {
        Target target = new Target(namespaceId, queueId);
        SLEEPERS.compute(target, (key, set) -> {
            Set<Runnable> sleepers = set == null ? ConcurrentHashMap.newKeySet() : set;
            sleepers.add(wakeUp);
            return sleepers;
        });
        return () -> SLEEPERS.computeIfPresent(target, (key, sleepers) -> {
            sleepers.remove(wakeUp);
            return sleepers.isEmpty() ? null : sleepers;
        });
    }

    /** A sleeper's stay. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    private record Target(String namespaceId, String queueId) {}
}
