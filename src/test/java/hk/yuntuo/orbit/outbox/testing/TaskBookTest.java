package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TaskBookTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 2_000;

    @Test
    void acceptancesAtTheSameTimeYieldOneTaskAKey() throws Exception {
        TaskBook book = new TaskBook();
        CyclicBarrier together = new CyclicBarrier(THREADS);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<Integer>> created = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            created.add(threads.submit(() -> acceptAll(book, together)));
        }
        int sum = 0;
        for (Future<Integer> one : created) {
            sum += one.get();
        }
        threads.shutdown();
        assertEquals(ROUNDS, sum);
        assertEquals(ROUNDS, book.tasks().size());
    }

    private static int acceptAll(TaskBook book, CyclicBarrier together) throws Exception {
        int created = 0;
        for (int round = 0; round < ROUNDS; round++) {
            together.await();
            created += book.accept("n", "q", "key-" + round, new byte[] {1}).deduplicated() ? 0 : 1;
        }
        return created;
    }
}
