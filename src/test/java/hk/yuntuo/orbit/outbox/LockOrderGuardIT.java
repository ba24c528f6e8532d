package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.GuardRows.FiledJob;
import hk.yuntuo.orbit.outbox.GuardRows.Note;
import hk.yuntuo.orbit.outbox.GuardRows.NumberedNote;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.NumberedBatch;
import hk.yuntuo.orbit.outbox.model.LockOrderException;
import hk.yuntuo.orbit.outbox.model.LockOrderGuard;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import jakarta.persistence.LockModeType;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.Transaction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the guard refuses when it is FAIL: every kind of business work before an enqueue. */
class LockOrderGuardIT {
    private static GuardDatabase database;
    private static SessionFactory unit;
    private static Outbox outbox;
    private static StatementLog log;

    @BeforeAll
    static void open() throws SQLException {
        database = GuardDatabase.create("guard");
        unit = database.unit(LockOrderGuard.FAIL, Map.of());
        outbox = GuardDatabase.outbox(unit, LockOrderGuard.FAIL);
        log = StatementLog.open(database.database());
    }

    @AfterAll
    static void close() throws SQLException {
        log.close();
        database.close();
    }

    static Stream<EarlierWork> work() {
        return EarlierWork.all();
    }

    @ParameterizedTest
    @MethodSource("work")
    void enqueueAfterBusinessWorkIsRefusedBeforeAnySql(EarlierWork earlier) throws SQLException {
        long id = database.newNote();
        String operationId = GuardDatabase.newOperation();
        GuardDatabase.inTransaction(unit, session -> {
            long connection = StatementLog.connectionId(session);
            earlier.work().accept(session, id);
            LockOrderException refusal = refusedBeforeAnySql(session, operationId, connection);
            assertTrue(refusal.getMessage().contains(earlier.told()), refusal::getMessage);
            assertFalse(refusal.getMessage().contains("secret"), refusal::getMessage);
        });
        assertEquals(0, database.commands(operationId));
    }

    private static LockOrderException refusedBeforeAnySql(Session session, String operationId, long connection) {
        try {
            log.clear();
            LockOrderException refusal = refused(session, operationId);
            assertEquals(List.of(), log.of(connection));
            return refusal;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static LockOrderException refused(Session session, String operationId) {
        LockOrderException refusal =
                assertThrows(LockOrderException.class, () -> outbox.enqueue(session, operationId, Requests.of("{}")));
        assertEquals(Optional.of(operationId), refusal.operationId());
        assertTrue(refusal.getMessage().contains(operationId));
        return refusal;
    }

    @Test
    void aRefusedTransactionCanStillCommitItsBusinessWork() throws SQLException {
        long id = database.newNote();
        GuardDatabase.inTransaction(unit, session -> {
            session.find(Note.class, id).text("new");
            session.flush();
            refused(session, GuardDatabase.newOperation());
            refused(session, GuardDatabase.newOperation());
            assertFalse(session.getTransaction().getRollbackOnly());
            session.find(Note.class, id).text("newer");
        });
        assertEquals("newer", database.database().value("SELECT text FROM guard_note WHERE id = " + id));
    }

    @Test
    void aRefusedTransactionCanStillRollBackAndTheNextBeginsAnew() throws SQLException {
        long id = database.newNote();
        String operationId = GuardDatabase.newOperation();
        unit.inSession(session -> {
            Transaction transaction = session.beginTransaction();
            try {
                session.find(Note.class, id, LockModeType.PESSIMISTIC_WRITE);
                refused(session, operationId);
            } finally {
                transaction.rollback();
            }
            GuardDatabase.inTransaction(session, next -> outbox.enqueue(next, operationId, Requests.of("{}")));
        });
        assertEquals(1, database.commands(operationId));
    }

    @Test
    void theFirstWorkIsTold() {
        GuardDatabase.inTransaction(unit, session -> {
            session.persist(new NumberedNote());
            session.persist(new Note(GuardDatabase.newId()));
            session.flush();
            LockOrderException refusal = refused(session, GuardDatabase.newOperation());
            assertTrue(refusal.getMessage().contains(NumberedNote.class.getName()), refusal::getMessage);
        });
    }

    @Test
    void businessRowsOfAnEarlierDirectEnqueueCountForTheNext() {
        GuardDatabase.inTransaction(unit, session -> {
            outbox.enqueue(session, GuardDatabase.newOperation(), Requests.of("{}"));
            session.persist(new Note(GuardDatabase.newId()));
            session.flush();
            refused(session, GuardDatabase.newOperation());
        });
    }

    @Test
    void statelessWritesCount() throws SQLException {
        long id = database.newNote();
        try (StatelessSession session = unit.openStatelessSession()) {
            Transaction transaction = session.beginTransaction();
            try {
                session.update(session.get(Note.class, id));
                LockOrderException refusal = assertThrows(
                        LockOrderException.class, () -> session.insert(new FiledJob(GuardDatabase.newOperation())));
                assertTrue(refusal.getMessage().contains("update of " + Note.class.getName()), refusal::getMessage);
                assertTrue(transaction.getRollbackOnly());
            } finally {
                transaction.rollback();
            }
        }
    }

    @Test
    void aCascadeBehindAParentWhoseInsertGivesItsIdIsRefusedAndMarked() throws SQLException {
        NumberedBatch batch = new NumberedBatch();
        batch.jobs().add(new AssignedJob(GuardDatabase.newOperation()));
        GuardDatabase.inTransaction(unit, session -> {
            LockOrderException refusal = assertThrows(LockOrderException.class, () -> session.persist(batch));
            assertTrue(refusal.getMessage().contains(NumberedBatch.class.getName()), refusal::getMessage);
            assertTrue(session.getTransaction().getRollbackOnly());
        });
        assertEquals("0", database.database().value("SELECT COUNT(*) FROM numbered_batch"));
    }
}
