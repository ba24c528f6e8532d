package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.GuardRows.Note;
import hk.yuntuo.orbit.outbox.GuardRows.NumberedNote;
import hk.yuntuo.orbit.outbox.internal.journal.TransactionJournal;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.LockOrderException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.support.CapturedLog;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.EventType;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What each guard does and costs, and how it shares a unit with another guard and with the application's own inspector. */
class LockOrderGuardModesIT {
    private static final String INSPECTOR = "hibernate.session_factory.statement_inspector";

    private static GuardDatabase database;

    private final CapturedLog logged = CapturedLog.of("hk.yuntuo.orbit.outbox.internal.guard");

    @BeforeAll
    static void open() throws SQLException {
        database = GuardDatabase.create("modes");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @AfterEach
    void listenNoMore() {
        logged.close();
    }

    private static void write(Session session) {
        session.persist(new NumberedNote());
    }

    private static void bulk(Session session) {
        session.createMutationQuery("update Note set text = 'new'").executeUpdate();
    }

    private static String enqueue(Outbox outbox, Session session) {
        String id = GuardDatabase.newOperation();
        outbox.enqueue(session, id, Requests.of("{}"));
        return id;
    }

    @Test
    void warnLogsOnceInATransactionAndEnqueues() throws SQLException {
        SessionFactory unit = database.plainUnit(Map.of());
        Outbox outbox = GuardDatabase.outbox(unit, LockOrderGuard.WARN);
        List<String> ids = new ArrayList<>();
        GuardDatabase.inTransaction(unit, session -> {
            write(session);
            bulk(session);
            ids.add(enqueue(outbox, session));
            ids.add(enqueue(outbox, session));
        });
        assertEquals(1, logged.lines().size());
        String message = logged.lines().get(0);
        assertTrue(message.startsWith("WARN outbox.order operation=" + ids.get(0)), message);
        assertTrue(message.contains("insert of " + NumberedNote.class.getName()), message);
        assertEquals(2, database.commands(ids.get(0)) + database.commands(ids.get(1)));
    }

    @Test
    void warnLogsAgainInTheNextTransactionAndOnlyIfThereWasWork() {
        SessionFactory unit = database.plainUnit(Map.of());
        Outbox outbox = GuardDatabase.outbox(unit, LockOrderGuard.WARN);
        try (Session session = unit.openSession()) {
            for (int i = 0; i < 2; i++) {
                GuardDatabase.inTransaction(session, s -> {
                    bulk(s);
                    enqueue(outbox, s);
                });
                GuardDatabase.inTransaction(session, s -> enqueue(outbox, s));
            }
        }
        assertEquals(2, logged.lines().size());
        assertTrue(logged.lines().get(1).contains("update guard_note"));
    }

    @Test
    void warnIsTheDefaultOfTheOutboxAndOfTheProperty() {
        SessionFactory unit = database.plainUnit(
                Map.of("orbit.outbox.namespace-id", Requests.NAMESPACE, "orbit.outbox.queue-id", Requests.QUEUE));
        Outbox outbox = Requests.outbox(unit);
        GuardDatabase.inTransaction(unit, session -> {
            write(session);
            enqueue(outbox, session);
        });
        GuardDatabase.inTransaction(unit, session -> {
            write(session);
            session.persist(new AssignedJob(GuardDatabase.newOperation()));
        });
        assertEquals(2, logged.lines().size());
    }

    @Test
    void offInstallsNothingSeesNothingAndLogsNothing() {
        SessionFactory unit = database.plainUnit(Map.of());
        Map<String, List<Object>> listeners = listeners(unit);
        Outbox outbox = GuardDatabase.outbox(unit, LockOrderGuard.OFF);
        GuardDatabase.inTransaction(unit, session -> {
            write(session);
            bulk(session);
            assertNull(TransactionJournal.existing(session.unwrap(SharedSessionContractImplementor.class)));
            enqueue(outbox, session);
        });
        assertEquals(List.of(), logged.lines());
        assertEquals(listeners, listeners(unit));
        GuardDatabase.outbox(unit, LockOrderGuard.WARN);
        Map<String, List<Object>> watched = listeners(unit);
        assertNotEquals(listeners, watched);
        GuardDatabase.outbox(unit, LockOrderGuard.FAIL);
        assertEquals(watched, listeners(unit));
    }

    @Test
    void offByThePropertyInstallsNothingEither() {
        SessionFactory bare = database.plainUnit(Map.of());
        SessionFactory off = database.unit(LockOrderGuard.OFF, Map.of());
        assertEquals(sizes(bare), sizes(off));
        GuardDatabase.inTransaction(off, session -> {
            write(session);
            session.persist(new AssignedJob(GuardDatabase.newOperation()));
        });
        assertEquals(List.of(), logged.lines());
        assertNotEquals(sizes(bare), sizes(database.unit(LockOrderGuard.WARN, Map.of())));
    }

    private static Map<String, List<Object>> listeners(SessionFactory unit) {
        Map<String, List<Object>> all = new TreeMap<>();
        for (EventType<?> type : EventType.values()) {
            List<Object> found = new ArrayList<>();
            unit.unwrap(SessionFactoryImplementor.class)
                    .getEventListenerRegistry()
                    .getEventListenerGroup(type)
                    .fireEventOnEachListener(found, (listener, list) -> list.add(listener));
            all.put(type.eventName(), found);
        }
        return all;
    }

    private static Map<String, Integer> sizes(SessionFactory unit) {
        Map<String, Integer> sizes = new TreeMap<>();
        listeners(unit).forEach((type, found) -> sizes.put(type, found.size()));
        return sizes;
    }

    @Test
    void eachOfTwoOutboxesOfAUnitJudgesByItsOwnGuard() {
        SessionFactory unit = database.plainUnit(Map.of());
        Outbox off = GuardDatabase.outbox(unit, LockOrderGuard.OFF);
        Outbox fail = GuardDatabase.outbox(unit, LockOrderGuard.FAIL);
        Outbox warn = GuardDatabase.outbox(unit, LockOrderGuard.WARN);
        GuardDatabase.inTransaction(unit, session -> {
            bulk(session);
            enqueue(off, session);
            assertEquals(List.of(), logged.lines());
            assertThrows(LockOrderException.class, () -> enqueue(fail, session));
            assertEquals(List.of(), logged.lines());
            enqueue(warn, session);
            assertEquals(1, logged.lines().size());
            assertThrows(LockOrderException.class, () -> enqueue(fail, session));
        });
    }

    @Test
    void theApplicationsOwnInspectorSeesAndRewritesAllStatements() throws SQLException {
        List<String> seen = new CopyOnWriteArrayList<>();
        StatementInspector own = sql -> {
            seen.add(sql);
            return "/* own */ " + sql;
        };
        SessionFactory unit = database.unit(LockOrderGuard.FAIL, Map.of(INSPECTOR, own));
        Outbox outbox = GuardDatabase.outbox(unit, LockOrderGuard.FAIL);
        try (StatementLog log = StatementLog.open(database.database())) {
            log.clear();
            GuardDatabase.inTransaction(unit, session -> {
                enqueue(outbox, session);
                bulk(session);
                assertThrows(LockOrderException.class, () -> enqueue(outbox, session));
            });
            assertEquals(1, seen.size());
            assertEquals(
                    1,
                    log.all().stream()
                            .filter(("/* own */ " + seen.get(0))::equals)
                            .count());
        }
    }

    @Test
    void anInspectorThatReturnsNullLeavesTheStatementAsItIs() {
        SessionFactory unit = database.plainUnit(Map.of(INSPECTOR, (StatementInspector) sql -> null));
        Outbox outbox = GuardDatabase.outbox(unit, LockOrderGuard.OFF);
        GuardDatabase.inTransaction(unit, session -> {
            enqueue(outbox, session);
            assertNull(session.find(Note.class, -1L));
        });
    }
}
