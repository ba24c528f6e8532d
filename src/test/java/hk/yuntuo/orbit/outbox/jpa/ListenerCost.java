package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Measures, when asked for by name; not part of the build. Two kinds of transaction take turns, each against the other, and the ratio of
 * their medians is printed for blocks of turns: {@code ./mvnw test-compile failsafe:integration-test -Dit.test=ListenerCost}.
 */
class ListenerCost {
    private static final int BLOCKS = 11;
    private static final int TURNS = 300;

    private static ListenerDatabase database;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("cost");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void persistingASourceAgainstEnqueueAndPersist() {
        EntityManagerFactory unit = unit(LockOrderGuard.WARN);
        Outbox outbox = outbox(unit, LockOrderGuard.WARN);
        compare(
                "listener / enqueue and persist",
                () -> transaction(unit, em -> em.persist(new AssignedJob(newId()))),
                () -> transaction(unit, em -> {
                    String id = newId();
                    outbox.enqueue(em, id, Requests.of("{\"note\":\"" + id + "\"}"));
                    em.persist(new BusinessJob(id, id));
                }));
    }

    @Test
    void theGuardAgainstNone() {
        EntityManagerFactory watched = unit(LockOrderGuard.WARN);
        EntityManagerFactory unwatched = unit(LockOrderGuard.OFF);
        Outbox warning = outbox(watched, LockOrderGuard.WARN);
        Outbox silent = outbox(unwatched, LockOrderGuard.OFF);
        compare("guard WARN / OFF", () -> busy(watched, warning), () -> busy(unwatched, silent));
    }

    private static void busy(EntityManagerFactory unit, Outbox outbox) {
        transaction(unit, em -> {
            String id = newId();
            outbox.enqueue(em, id, Requests.of("{}"));
            em.persist(new BusinessJob(id, id));
            em.flush();
            for (int i = 0; i < 5; i++) {
                em.createQuery("select j from BusinessJob j where j.operationId = :id")
                        .setParameter("id", id)
                        .getResultList();
            }
        });
    }

    private static void compare(String what, Runnable one, Runnable other) {
        double[] ratios = new double[BLOCKS];
        for (int block = -2; block < BLOCKS; block++) {
            long[] first = new long[TURNS];
            long[] second = new long[TURNS];
            for (int turn = 0; turn < TURNS; turn++) {
                if (turn % 2 == 0) {
                    first[turn] = nanos(one);
                    second[turn] = nanos(other);
                } else {
                    second[turn] = nanos(other);
                    first[turn] = nanos(one);
                }
            }
            if (block >= 0) {
                ratios[block] = (double) median(first) / median(second);
            }
        }
        Arrays.sort(ratios);
        System.out.printf(
                "%s: median %.3f, blocks of %d pairs from %.3f to %.3f%n",
                what, ratios[BLOCKS / 2], TURNS, ratios[0], ratios[BLOCKS - 1]);
        assertTrue(ratios[0] > 0);
    }

    private static long median(long[] values) {
        return Arrays.stream(values)
                .sorted()
                .skip(values.length / 2)
                .findFirst()
                .orElseThrow();
    }

    private static long nanos(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }

    private static void transaction(EntityManagerFactory unit, Consumer<EntityManager> work) {
        try (EntityManager em = unit.createEntityManager()) {
            em.getTransaction().begin();
            work.accept(em);
            em.getTransaction().commit();
        }
    }

    private static EntityManagerFactory unit(LockOrderGuard guard) {
        return database.unit(
                List.of(BusinessJob.class),
                Map.of(
                        OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE,
                        OutboxUnit.QUEUE_ID, Requests.QUEUE,
                        OutboxUnit.LOCK_ORDER_GUARD, guard.name()));
    }

    private static Outbox outbox(EntityManagerFactory unit, LockOrderGuard guard) {
        return Outbox.builder(unit)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .lockOrderGuard(guard)
                .build();
    }

    private static String newId() {
        return OperationId.next().value();
    }
}
