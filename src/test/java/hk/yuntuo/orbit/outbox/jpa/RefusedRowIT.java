package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.BareJob;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.DeafJob;
import hk.yuntuo.orbit.outbox.jpa.sources.HalfJobs.NumberedBareJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.IdentityJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A source around which the listener was led is not stored without its command, unless the same transaction has enqueued it. */
class RefusedRowIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory right;
    private static EntityManagerFactory callbacksOff;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("refused");
        for (String table : HalfJobs.TABLES) {
            database.database().update("CREATE TABLE " + table);
        }
        Map<String, Object> queue = Queues.properties(Requests.NAMESPACE, Requests.QUEUE);
        right = database.unit(List.of(BareJob.class, NumberedBareJob.class, DeafJob.class, BusinessJob.class), queue);
        callbacksOff = database.unit(List.of(BusinessJob.class), Map.of("hibernate.jpa_callbacks.enabled", "false"));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    /** A way around the listener: a unit, an entity of it, and what the refusal says of the cause. */
    record Detour(
            String name, EntityManagerFactory unit, Function<String, OutboxSource> source, String table, String cause) {
        Outbox outbox() {
            return Queues.outbox(unit, Requests.NAMESPACE, Requests.QUEUE);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Detour> detours() {
        String noListener = "OutboxSource without OutboxListener";
        String off = "hibernate.jpa_callbacks.enabled is false";
        return Stream.of(
                new Detour("no listener", right, BareJob::new, "bare_job", noListener),
                new Detour("no listener, IDENTITY", right, NumberedBareJob::new, "numbered_bare_job", noListener),
                new Detour("listener excluded", right, DeafJob::new, "deaf_job", noListener),
                new Detour("callbacks off", callbacksOff, AssignedJob::new, "assigned_job", off),
                new Detour("callbacks off, IDENTITY", callbacksOff, IdentityJob::new, "identity_job", off));
    }

    @ParameterizedTest
    @MethodSource("detours")
    void theRowIsRefusedAndTheTransactionCannotCommit(Detour detour) throws SQLException {
        String id = OperationId.next().value();
        try (EntityManager em = detour.unit().createEntityManager()) {
            em.getTransaction().begin();
            em.persist(new BusinessJob(id, id));
            Exception e = assertThrows(RuntimeException.class, () -> {
                em.persist(detour.source().apply(id));
                em.flush();
            });
            assertRefusal(detour, e);
            assertTrue(em.getTransaction().getRollbackOnly());
            // Hibernate rolls back here, and says so in its log only.
            em.getTransaction().commit();
        }
        assertEquals(0, database.rowsOf("business_job", id));
        assertNothingStored(detour, id);
    }

    @ParameterizedTest
    @MethodSource("detours")
    void theCommitRefusesTheRowAndStoresNothing(Detour detour) throws SQLException {
        String id = OperationId.next().value();
        Exception e = assertThrows(
                RuntimeException.class,
                () -> detour.unit()
                        .runInTransaction(em -> em.persist(detour.source().apply(id))));
        assertRefusal(detour, e);
        assertNothingStored(detour, id);
    }

    @ParameterizedTest
    @MethodSource("detours")
    void aMergeIsRefusedLikeAPersist(Detour detour) throws SQLException {
        String id = OperationId.next().value();
        Exception e = assertThrows(
                RuntimeException.class,
                () -> detour.unit()
                        .runInTransaction(em -> em.merge(detour.source().apply(id))));
        assertRefusal(detour, e);
        assertNothingStored(detour, id);
    }

    @ParameterizedTest
    @MethodSource("detours")
    void aStatelessInsertIsRefused(Detour detour) throws SQLException {
        String id = OperationId.next().value();
        stateless(detour, session -> {
            Exception e = assertThrows(
                    RuntimeException.class, () -> session.insert(detour.source().apply(id)));
            assertRefusal(detour, e);
        });
        assertNothingStored(detour, id);
    }

    @ParameterizedTest
    @MethodSource("detours")
    void theRowIsStoredIfItsCommandWasEnqueuedBefore(Detour detour) throws SQLException {
        String id = OperationId.next().value();
        detour.unit().runInTransaction(em -> {
            detour.outbox().enqueue(em, id, Requests.of("{}"));
            em.persist(detour.source().apply(id));
        });
        assertEquals(1, database.rowsOf(detour.table(), id));
        assertEquals(1, database.commands(List.of(id)));
    }

    @ParameterizedTest
    @MethodSource("detours")
    void aCommandThatAnotherTransactionEnqueuedDoesNotCount(Detour detour) throws SQLException {
        String id = OperationId.next().value();
        detour.unit().runInTransaction(em -> detour.outbox().enqueue(em, id, Requests.of("{}")));
        Exception e = assertThrows(
                RuntimeException.class,
                () -> detour.unit()
                        .runInTransaction(em -> em.persist(detour.source().apply(id))));
        assertRefusal(detour, e);
        assertEquals(0, database.rowsOf(detour.table(), id));
    }

    @ParameterizedTest
    @MethodSource("detours")
    void theCommandOfAnotherOperationDoesNotCountAndIsRolledBack(Detour detour) throws SQLException {
        String id = OperationId.next().value();
        String otherId = OperationId.next().value();
        Exception e = assertThrows(
                RuntimeException.class,
                () -> detour.unit().runInTransaction(em -> {
                    detour.outbox().enqueue(em, otherId, Requests.of("{}"));
                    em.persist(detour.source().apply(id));
                }));
        assertRefusal(detour, e);
        assertEquals(0, database.commands(List.of(id, otherId)));
        assertNothingStored(detour, id);
    }

    @Test
    void aCommandThatARowReliesOnIsNotWithdrawnWithTheEntityItWasWrittenFor() throws SQLException {
        String id = OperationId.next().value();
        right.runInTransaction(em -> {
            em.persist(new AssignedJob(id));
            em.clear();
            em.persist(new BareJob(id));
        });
        assertEquals(0, database.rowsOf("assigned_job", id));
        assertEquals(1, database.rowsOf("bare_job", id));
        assertEquals(1, database.commands(List.of(id)));
    }

    /** Commits, so that nothing is hidden by a rollback of the test. */
    private static void stateless(Detour detour, Consumer<StatelessSession> work) {
        try (StatelessSession session =
                detour.unit().unwrap(SessionFactory.class).openStatelessSession()) {
            session.beginTransaction();
            work.accept(session);
            session.getTransaction().commit();
        }
    }

    private static void assertRefusal(Detour detour, Exception thrown) {
        Throwable refusal = thrown;
        while (!(refusal instanceof IllegalStateException) && refusal.getCause() != null) {
            refusal = refusal.getCause();
        }
        String message = String.valueOf(refusal.getMessage());
        String entity = detour.source().apply("").getClass().getName();
        assertTrue(refusal instanceof IllegalStateException, thrown::toString);
        assertTrue(message.contains("The row of " + entity), message);
        assertTrue(message.contains(detour.cause()), message);
        assertFalse(message.contains("replicate"), message);
    }

    private static void assertNothingStored(Detour detour, String id) throws SQLException {
        assertEquals(0, database.rowsOf(detour.table(), id));
        assertEquals(0, database.commands(List.of(id)));
    }
}
