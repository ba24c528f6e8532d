package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.Job;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.IdentityJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TaggedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.UuidJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.junit.jupiter.api.Test;

/** Random transactions of several threads over shared operations, repeatable by seed: each row that is left has its command, and each command its row. */
class ListenerRandomIT {
    private static final int THREADS = 4;
    private static final int TRANSACTIONS = 500;
    private static final List<String> TABLES = List.of("assigned_job", "uuid_job", "identity_job", "tagged_job");

    private final List<String> ids =
            Stream.generate(() -> OperationId.next().value()).limit(200).toList();
    private final AtomicInteger committed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    @Test
    void everyRowHasItsCommandAndEveryCommandItsRow() throws SQLException {
        try (ListenerDatabase database = ListenerDatabase.create("random")) {
            EntityManagerFactory plain = database.unit(Map.of());
            EntityManagerFactory batched =
                    database.unit(Map.of("hibernate.jdbc.batch_size", "10", "hibernate.order_inserts", "true"));
            CompletableFuture<?>[] threads = IntStream.range(0, THREADS)
                    .mapToObj(i -> CompletableFuture.runAsync(() -> run(new Random(i), i % 2 == 0 ? plain : batched)))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(threads).join();

            List<String> rows = new ArrayList<>();
            for (String table : TABLES) {
                rows.addAll(database.database().rows("SELECT operation_id FROM " + table));
            }
            List<String> commands = database.database().rows("SELECT operation_id FROM sender_outbox");
            assertEquals(
                    commands.stream().sorted().toList(), rows.stream().sorted().toList());
            assertTrue(committed.get() > 100 && failed.get() > 100, committed + " committed, " + failed + " failed");
        }
    }

    private static List<String> difference(List<String> these, List<String> those) {
        List<String> rest = new ArrayList<>(these);
        those.forEach(rest::remove);
        return rest;
    }

    private void run(Random random, EntityManagerFactory unit) {
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (EntityManager em = unit.createEntityManager()) {
                transaction(em, random);
                committed.incrementAndGet();
            } catch (RuntimeException e) {
                failed.incrementAndGet();
            }
        }
    }

    /** One time in four an error is swallowed, and the commit is tried all the same. */
    private void transaction(EntityManager em, Random random) {
        em.getTransaction().begin();
        boolean swallowing = random.nextInt(4) == 0;
        if (random.nextInt(10) == 0) {
            em.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
        }
        List<Job> mine = new ArrayList<>();
        try {
            int steps = 1 + random.nextInt(6);
            for (int i = 0; i < steps; i++) {
                step(em, random, mine, swallowing);
            }
            if (random.nextInt(6) == 0) {
                em.getTransaction().rollback();
                return;
            }
            em.getTransaction().commit();
        } finally {
            if (em.getTransaction().isActive()) {
                em.getTransaction().rollback();
            }
        }
    }

    private void step(EntityManager em, Random random, List<Job> mine, boolean swallowing) {
        try {
            step(em, random, mine);
        } catch (RuntimeException e) {
            if (!swallowing) {
                throw e;
            }
        }
    }

    private void step(EntityManager em, Random random, List<Job> mine) {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> {
                Job job = job(random, 4);
                mine.add(job);
                em.persist(job);
            }
            case 3, 4 -> mine.add(em.merge(job(random, 2)));
            case 5 -> em.flush();
            case 6 -> em.clear();
            case 7 ->
                onOneOf(mine, random, job -> {
                    if (em.contains(job)) {
                        em.remove(job);
                    }
                });
            case 8 -> onOneOf(mine, random, em::persist);
            default ->
                onOneOf(mine, random, job -> {
                    em.flush();
                    em.detach(job);
                });
        }
    }

    private static void onOneOf(List<Job> jobs, Random random, Consumer<Job> work) {
        if (!jobs.isEmpty()) {
            work.accept(jobs.get(random.nextInt(jobs.size())));
        }
    }

    /** Of the first two kinds an instance is always new; one of the others may be the row of an earlier transaction to a merge. */
    private Job job(Random random, int kinds) {
        String id = ids.get(random.nextInt(ids.size()));
        return switch (random.nextInt(kinds)) {
            case 0 -> new UuidJob(id).requesting(() -> Requests.of("{}"), UuidJob.class);
            case 1 -> new IdentityJob(id).requesting(() -> Requests.of("{}"), IdentityJob.class);
            case 2 -> new TaggedJob(id, List.of("a", "b"));
            default -> new AssignedJob(id);
        };
    }
}
