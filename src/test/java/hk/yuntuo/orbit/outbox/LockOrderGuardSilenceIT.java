package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.GuardRows.FiledJob;
import hk.yuntuo.orbit.outbox.GuardRows.Folder;
import hk.yuntuo.orbit.outbox.GuardRows.Note;
import hk.yuntuo.orbit.outbox.jpa.OutboxEntity;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.IdentityJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.JoinedReport;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TableIdJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TaggedJob;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.LockModeType;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What even a guard that is FAIL lets pass: work that takes no business lock, or that other rules allow. */
class LockOrderGuardSilenceIT {
    private static GuardDatabase database;
    private static SessionFactory unit;
    private static Outbox outbox;

    @BeforeAll
    static void open() throws SQLException {
        database = GuardDatabase.create("silence");
        unit = database.unit(LockOrderGuard.FAIL, Map.of());
        outbox = GuardDatabase.outbox(unit, LockOrderGuard.FAIL);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    /** Work that comes first, with a note of that id. */
    record Earlier(String what, BiConsumer<Session, Long> work) {
        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Earlier> work() {
        return Stream.of(reads(), pending(), outboxRows(), sources(), sourcesAgain())
                .flatMap(earlier -> earlier);
    }

    private static Stream<Earlier> reads() {
        return Stream.of(
                new Earlier("nothing", (session, id) -> {}),
                new Earlier(
                        "find",
                        (session, id) -> session.find(Note.class, id).tags().size()),
                new Earlier("optimistic find", (session, id) -> session.find(Note.class, id, LockModeType.OPTIMISTIC)),
                new Earlier("refresh", (session, id) -> session.refresh(session.find(Note.class, id))),
                new Earlier(
                        "query",
                        (session, id) ->
                                session.createQuery("from Note", Note.class).getResultList()),
                new Earlier(
                        "query for words like a lock's",
                        (session, id) -> session.createQuery("from Note where text = 'wait for update'", Note.class)
                                .setComment("not for update")
                                .getResultList()),
                new Earlier(
                        "native query",
                        (session, id) -> session.createNativeQuery(
                                        "SELECT id AS for_update FROM guard_note WHERE text = 'lock in share mode'",
                                        Long.class)
                                .getResultList()),
                new Earlier("find of several", (session, id) -> session.findMultiple(Note.class, List.of(id, -id))));
    }

    private static Stream<Earlier> pending() {
        return Stream.of(
                new Earlier("persist", (session, id) -> session.persist(new Note(GuardDatabase.newId()))),
                new Earlier(
                        "change", (session, id) -> session.find(Note.class, id).text("new")),
                new Earlier(
                        "element",
                        (session, id) -> session.find(Note.class, id).tags().add("new")),
                new Earlier("remove", (session, id) -> session.remove(session.find(Note.class, id))),
                new Earlier(
                        "optimistic increment",
                        (session, id) -> session.find(Note.class, id, LockModeType.OPTIMISTIC_FORCE_INCREMENT)),
                new Earlier("a flush of nothing", (session, id) -> {
                    session.find(Note.class, id);
                    session.flush();
                }),
                new Earlier("ids from a table", (session, id) -> {
                    session.createQuery("from Note", Note.class).getResultList();
                    for (int i = 0; i < 60; i++) {
                        session.persist(new TableIdJob(GuardDatabase.newOperation()));
                    }
                    session.flush();
                }));
    }

    private static Stream<Earlier> outboxRows() {
        return Stream.of(
                new Earlier(
                        "an enqueue",
                        (session, id) -> outbox.enqueue(session, GuardDatabase.newOperation(), Requests.of("{}"))),
                new Earlier("a command locked", (session, id) -> lockCommands(session, Map.of())),
                new Earlier(
                        "a command locked or skipped",
                        (session, id) -> lockCommands(session, Map.of("jakarta.persistence.lock.timeout", -2))),
                new Earlier("a command read and then locked", (session, id) -> {
                    OutboxEntity command = session.createQuery("from OutboxEntity", OutboxEntity.class)
                            .setMaxResults(1)
                            .getSingleResult();
                    session.refresh(command, LockModeType.PESSIMISTIC_WRITE);
                }),
                new Earlier("a status", (session, id) -> outbox.status(session, GuardDatabase.newOperation())));
    }

    private static void lockCommands(Session session, Map<String, Object> hints) {
        var query = session.createQuery("from OutboxEntity", OutboxEntity.class);
        hints.forEach(query::setHint);
        query.setLockMode(LockModeType.PESSIMISTIC_WRITE).setMaxResults(1).getResultList();
    }

    private static Stream<Earlier> sources() {
        return Stream.of(
                new Earlier(
                        "a source", (session, id) -> stored(session, new AssignedJob(GuardDatabase.newOperation()))),
                new Earlier(
                        "a source with IDENTITY",
                        (session, id) -> stored(session, new IdentityJob(GuardDatabase.newOperation()))),
                new Earlier(
                        "a source of two tables",
                        (session, id) -> stored(session, new JoinedReport(GuardDatabase.newOperation(), 2))),
                new Earlier(
                        "a source with elements",
                        (session, id) ->
                                stored(session, new TaggedJob(GuardDatabase.newOperation(), List.of("a", "b")))),
                new Earlier(
                        "a source with a version",
                        (session, id) -> stored(session, new FiledJob(GuardDatabase.newOperation()))),
                new Earlier("a source whose command was enqueued directly", (session, id) -> {
                    AssignedJob job = new AssignedJob(GuardDatabase.newOperation());
                    outbox.enqueue(session, job.outboxOperationId(), job.outboxRequest());
                    stored(session, job);
                }),
                new Earlier("a merged source", (session, id) -> {
                    session.merge(new FiledJob(GuardDatabase.newOperation()));
                    session.flush();
                }),
                new Earlier("a source in an inverse collection", (session, id) -> {
                    FiledJob job = new FiledJob(GuardDatabase.newOperation());
                    job.folder(session.find(Folder.class, 1));
                    stored(session, job);
                }));
    }

    private static <T> T stored(Session session, T source) {
        session.persist(source);
        session.flush();
        return source;
    }

    private static Stream<Earlier> sourcesAgain() {
        return Stream.of(
                new Earlier("a source changed again", (session, id) -> {
                    FiledJob job = stored(session, new FiledJob(GuardDatabase.newOperation()));
                    job.note("new");
                    job.pages().add("new");
                    session.flush();
                }),
                new Earlier("a source read anew and changed", (session, id) -> {
                    FiledJob job = stored(session, new FiledJob(GuardDatabase.newOperation()));
                    session.clear();
                    session.find(FiledJob.class, job.outboxOperationId())
                            .pages()
                            .add("new");
                    session.flush();
                }),
                new Earlier(
                        "a source refreshed",
                        (session, id) ->
                                session.refresh(stored(session, new AssignedJob(GuardDatabase.newOperation())))),
                new Earlier("a source removed again", (session, id) -> {
                    FiledJob job = new FiledJob(GuardDatabase.newOperation());
                    job.pages().add("new");
                    session.remove(stored(session, job));
                    session.flush();
                }),
                new Earlier("a chunked import", (session, id) -> {
                    for (int i = 0; i < 3; i++) {
                        stored(session, new AssignedJob(GuardDatabase.newOperation()));
                        stored(session, new IdentityJob(GuardDatabase.newOperation()));
                        stored(session, new TaggedJob(GuardDatabase.newOperation(), List.of("a")));
                        session.clear();
                    }
                }));
    }

    @ParameterizedTest
    @MethodSource("work")
    void enqueueIsAcceptedAfter(Earlier earlier) throws SQLException {
        database.database().update("INSERT IGNORE INTO guard_folder VALUES (1)");
        outbox.transactions()
                .inTransaction(
                        GuardDatabase.newOperation(),
                        em -> outbox.enqueue(em, GuardDatabase.newOperation(), Requests.of("{}")));
        long id = database.newNote();
        String direct = GuardDatabase.newOperation();
        String listened = GuardDatabase.newOperation();
        GuardDatabase.inTransaction(unit, session -> {
            earlier.work().accept(session, id);
            assertEquals(EnqueueResult.INSERTED, outbox.enqueue(session, direct, Requests.of("{}")));
            session.persist(new AssignedJob(listened));
        });
        assertEquals(2, database.commands(direct) + database.commands(listened));
    }
}
