package hk.yuntuo.orbit.outbox.faults;

import hk.yuntuo.orbit.outbox.RunOptions;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A server that is some milliseconds away. */
class SlowNetworkIT extends SendingTest {
    private static final Duration AWAY = Duration.ofMillis(8);
    private static final int ROWS = 900;

    /** Each row's lease is a statement: all of them would take longer than a transaction may, again and again. */
    @Test
    void aClaimTakesNoMoreThanItsTransactionHasTimeFor() throws Exception {
        outbox.transactions()
                .inTransaction(em -> IntStream.range(0, ROWS)
                        .mapToObj(i -> outbox.enqueue(em, OperationId.next().value(), Requests.of("1")))
                        .toList());
        try (MySqlProxy proxy = database.newProxy()) {
            proxy.script(sql -> {
                LockSupport.parkNanos(AWAY.toNanos());
                return null;
            });
            EntityManagerFactory away = database.unit(database.poolThrough(proxy.port(), "", 20), Map.of());
            RunningSender run = start(
                    sender(away, null),
                    StubPlatform.accepting(),
                    RunOptions.builder().concurrency(ROWS).build());
            until("nothing is sent", () -> count(OutboxState.ACCEPTED) >= 100);
            run.stopWell();
        }
    }
}
