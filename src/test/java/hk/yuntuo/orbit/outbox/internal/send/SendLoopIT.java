package hk.yuntuo.orbit.outbox.internal.send;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.internal.store.OutboxStore;
import hk.yuntuo.orbit.outbox.internal.store.ShortTransactions;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stop that comes at the worst moment: right after the loop has looked for one. */
class SendLoopIT {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static TestDatabase database;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("send_loop");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void aStopAfterTheLookIsNotSleptThroughWhenNothingIsDue() throws Exception {
        awaitEnd(1, database.unit(), new LoopSettings(LONG, Duration.ofSeconds(20), 4, null));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aStopAfterTheLookIsNotSleptThroughInThePauseAfterAFailure(int look) throws Exception {
        HikariDataSource closed = database.pool("", 1);
        EntityManagerFactory unit = database.unit(closed, Map.of());
        closed.close();
        awaitEnd(look, unit, new LoopSettings(Duration.ofMillis(10), Duration.ofSeconds(20), 4, LONG));
    }

    private static void awaitEnd(int look, EntityManagerFactory unit, LoopSettings settings) throws Exception {
        Bell bell = new Bell();
        ShortTransactions transactions = new ShortTransactions(unit);
        OutboxStore store = new OutboxStore(Requests.NAMESPACE, Requests.QUEUE);
        Pipeline pipeline = new Pipeline(
                new Claimer(transactions, store),
                new Deliverer(Requests.NAMESPACE, Requests.QUEUE),
                new Settler(transactions, store, null));
        SendLoop loop =
                new SendLoop(pipeline, StubPlatform.accepting(), settings, stopRightAfterLook(look, bell), bell);
        CompletableFuture<Void> run = CompletableFuture.runAsync(() -> loop.run(Requests.NAMESPACE, Requests.QUEUE));
        try {
            run.get(60, TimeUnit.SECONDS);
        } finally {
            bell.ring();
        }
    }

    private static BooleanSupplier stopRightAfterLook(int look, Bell bell) {
        AtomicInteger looks = new AtomicInteger();
        return () -> {
            int number = looks.incrementAndGet();
            if (number == look) {
                bell.ring();
            }
            return number > look;
        };
    }
}
