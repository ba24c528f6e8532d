package hk.yuntuo.orbit.outbox.randomrun;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What the application has been told of each operation and of each transaction, by the library and nobody else. Thread-safe. */
final class Ledger {
    /** What is known of an operation, or of one transaction; knowledge only grows. */
    enum Knowledge {
        /** No transaction of it was meant to commit, or each was said to be rolled back. */
        ABSENT,
        /** Somebody gave up without asking how a COMMIT had ended. */
        UNKNOWN,
        /** A transaction of it was said to have committed. */
        COMMITTED
    }

    private final Map<String, Knowledge> known = new ConcurrentHashMap<>();
    private final Map<String, Knowledge> attempts = new ConcurrentHashMap<>();

    void learn(String operationId, Knowledge knowledge) {
        known.merge(operationId, knowledge, (old, now) -> old.compareTo(now) > 0 ? old : now);
    }

    /** Of one transaction; ABSENT too if it stored nothing because the operation was there. */
    void learnOfAttempt(String attempt, Knowledge knowledge) {
        attempts.put(attempt, knowledge);
    }

    Map<String, Knowledge> attempts() {
        return Map.copyOf(attempts);
    }

    Map<String, Knowledge> all() {
        return new TreeMap<>(known);
    }

    List<String> those(Knowledge knowledge) {
        List<String> ids = new ArrayList<>();
        all().forEach((id, is) -> {
            if (is == knowledge) {
                ids.add(id);
            }
        });
        return ids;
    }
}
