package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.GuardRows.FiledJob;
import hk.yuntuo.orbit.outbox.GuardRows.Note;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TableIdJob;
import hk.yuntuo.orbit.outbox.model.LockOrderException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.LockModeType;
import jakarta.transaction.Synchronization;
import java.lang.reflect.Field;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.hibernate.LockMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.SharedSessionContract;
import org.hibernate.StatelessSession;
import org.hibernate.Transaction;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose work it was: that of other transactions does not count, and the transaction's own counts in whatever session it was done. */
class LockOrderGuardSessionsIT {
    private static GuardDatabase database;
    private static SessionFactory unit;
    private static Outbox outbox;

    @BeforeAll
    static void open() throws SQLException {
        database = GuardDatabase.create("sessions");
        database.database().update("INSERT INTO guard_note VALUES (1, 'code-1', 'old', 0)");
        unit = database.unit(LockOrderGuard.FAIL, Map.of());
        outbox = GuardDatabase.outbox(unit, LockOrderGuard.FAIL);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    /** Work in another session's own transaction. */
    record Other(String what, Consumer<SessionFactory> work) {
        static Other session(String what, Consumer<Session> work) {
            return new Other(what, factory -> GuardDatabase.inTransaction(factory, work));
        }

        static Other stateless(String what, Consumer<StatelessSession> work) {
            return new Other(what, factory -> {
                try (StatelessSession session = factory.openStatelessSession()) {
                    GuardDatabase.inTransaction(session, work);
                }
            });
        }

        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Other> others() {
        return Stream.of(
                Other.session("insert", session -> {
                    session.persist(new Note(GuardDatabase.newId()));
                    session.flush();
                }),
                Other.session("update at the commit", session -> note(session).text("new")),
                Other.session("bulk", session -> bulk(session)),
                Other.session(
                        "find for update", session -> session.find(Note.class, 1, LockModeType.PESSIMISTIC_WRITE)),
                Other.session(
                        "find of several for update",
                        session -> session.findMultiple(Note.class, List.of(1L), LockMode.PESSIMISTIC_WRITE)),
                Other.session(
                        "increment at the commit",
                        session -> session.find(Note.class, 1, LockModeType.OPTIMISTIC_FORCE_INCREMENT)),
                Other.stateless("stateless insert", session -> session.insert(new Note(GuardDatabase.newId()))),
                Other.stateless(
                        "stateless read for update",
                        session -> session.get(Note.class, 1L, LockMode.PESSIMISTIC_WRITE)),
                Other.stateless("stateless bulk", session -> bulk(session)));
    }

    private static Note note(Session session) {
        return session.find(Note.class, 1);
    }

    private static void bulk(SharedSessionContract session) {
        session.createMutationQuery("update Note set text = 'new' where id = 1").executeUpdate();
    }

    private static void enqueue(Session session) {
        outbox.enqueue(session, GuardDatabase.newOperation(), Requests.of("{}"));
    }

    @ParameterizedTest
    @MethodSource("others")
    void theWorkOfAnotherSessionDoesNotCount(Other other) {
        other.work().accept(unit);
        GuardDatabase.inTransaction(unit, session -> enqueue(session));
    }

    @ParameterizedTest
    @MethodSource("others")
    void theWorkOfAnotherSessionWithinTheTransactionDoesNotCount(Other other) {
        GuardDatabase.inTransaction(unit, session -> {
            session.createQuery("from Folder", Object.class).getResultList();
            other.work().accept(unit);
            session.createQuery("from Folder", Object.class).getResultList();
            enqueue(session);
        });
    }

    @Test
    void bothOfTwoInterleavedTransactionsAreJudgedByTheirOwnWork() {
        GuardDatabase.inTransaction(unit, reading -> {
            note(reading);
            GuardDatabase.inTransaction(unit, writing -> {
                bulk(writing);
                reading.createQuery("from Folder", Object.class).getResultList();
                assertThrows(LockOrderException.class, () -> enqueue(writing));
            });
            enqueue(reading);
        });
    }

    @Test
    void theWorkOfAnEarlierTransactionOfTheSessionDoesNotCount() {
        try (Session session = unit.openSession()) {
            GuardDatabase.inTransaction(session, s -> bulk(s));
            GuardDatabase.inTransaction(session, s -> enqueue(s));
            GuardDatabase.inTransaction(session, s -> note(s).text("newer"));
            GuardDatabase.inTransaction(session, s -> enqueue(s));
        }
    }

    @Test
    void theWorkOfATransactionThatWasRolledBackDoesNotCount() {
        try (Session session = unit.openSession()) {
            Transaction transaction = session.beginTransaction();
            bulk(session);
            transaction.rollback();
            GuardDatabase.inTransaction(session, s -> enqueue(s));
        }
    }

    @Test
    void theWorkOfASessionThatSharesTheTransactionCounts() {
        GuardDatabase.inTransaction(unit, session -> {
            try (Session shared = session.sessionWithOptions().connection().openSession()) {
                bulk(shared);
            }
            assertThrows(LockOrderException.class, () -> enqueue(session));
        });
    }

    @Test
    void severalStatelessSourcesPass() throws SQLException {
        List<String> ids = Stream.generate(GuardDatabase::newOperation).limit(4).toList();
        try (StatelessSession session = unit.openStatelessSession()) {
            GuardDatabase.inTransaction(session, s -> {
                s.insertMultiple(List.of(new AssignedJob(ids.get(0)), new AssignedJob(ids.get(1))));
                s.insert(new FiledJob(ids.get(2)));
                s.insert(new FiledJob(ids.get(3)));
            });
        }
        int commands = 0;
        for (String id : ids) {
            commands += database.commands(id);
        }
        assertEquals(4, commands);
    }

    @Test
    void workWithinTheCommitDoesNotBreakIt() throws SQLException {
        GuardDatabase.inTransaction(unit, session -> {
            session.getTransaction()
                    .registerSynchronization(beforeCompletion(
                            () -> session.createMutationQuery("update Note set text = 'at the commit' where id = 1")
                                    .executeUpdate()));
            session.getTransaction().registerSynchronization(beforeCompletion(() -> {}));
        });
        assertTrue(database.database()
                .value("SELECT text FROM guard_note WHERE id = 1")
                .contains("at the commit"));
    }

    private static Synchronization beforeCompletion(Runnable work) {
        return new Synchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }

            @Override
            public void afterCompletion(int status) {}
        };
    }

    @Test
    void theIdGeneratorOfASourceIsNotBlamedForAnothersStatement() {
        GuardDatabase.inTransaction(unit, session -> {
            session.createQuery("select count(o) from OutboxEntity o", Long.class)
                    .getSingleResult();
            try (StatelessSession other = unit.openStatelessSession()) {
                GuardDatabase.inTransaction(
                        other,
                        s -> s.createNativeMutationQuery("update guard_note set text = text where id = -1")
                                .executeUpdate());
            }
            session.persist(new TableIdJob(GuardDatabase.newOperation()));
        });
    }

    @Test
    void watchingALongSessionAddsOneListenerToIt() throws ReflectiveOperationException {
        try (Session session = unit.openSession()) {
            for (int i = 0; i < 20; i++) {
                GuardDatabase.inTransaction(session, s -> {
                    s.createNativeMutationQuery("update guard_note set text = text where id = -1")
                            .executeUpdate();
                    s.persist(new Note(GuardDatabase.newId()));
                });
            }
            Object manager = ((SharedSessionContractImplementor) session).getEventListenerManager();
            Field listeners = manager.getClass().getDeclaredField("listeners");
            listeners.setAccessible(true);
            assertEquals(1, ((Object[]) listeners.get(manager)).length);
        }
    }
}
