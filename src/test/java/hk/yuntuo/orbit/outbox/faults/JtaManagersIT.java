package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.jta.UserTransactionPlatform;
import hk.yuntuo.orbit.outbox.support.jta.WrongManagerPlatform;
import hk.yuntuo.orbit.outbox.support.jta.WrongManagerPlatform.Instead;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.SynchronizationType;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import javax.transaction.xa.XAResource;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.junit.jupiter.api.Test;

/** Transaction managers that show less than Narayana does, or tell other lies. */
class JtaManagersIT extends JtaFaults {
    @Test
    void whereThereIsAUserTransactionOnlyItIsUsed() {
        Outbox outbox = outbox(new UserTransactionPlatform());
        assertEquals(EnqueueResult.INSERTED, enqueue(outbox));
        assertEquals(EnqueueResult.DUPLICATE, enqueue(outbox));
    }

    @Test
    void whereThereIsAUserTransactionOnlyItsEndIsNotBelievedEither() throws SQLException {
        Outbox outbox = outbox(new UserTransactionPlatform());
        proxy.next(MySqlProxy.COMMIT, Strike.SWALLOW_REPLY);
        assertThrows(CommitUnconfirmedException.class, () -> enqueue(outbox));
        assertEquals("1", commands());
    }

    @Test
    void whereThereIsAUserTransactionOnlyTheCallersIsNotTouched() throws Exception {
        Outbox outbox = outbox(new UserTransactionPlatform());
        MANAGER.begin();
        Transaction callers = MANAGER.getTransaction();
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> enqueue(outbox));
        assertTrue(e.getMessage().contains("cannot be suspended"), e.getMessage());
        assertEquals(callers, MANAGER.getTransaction());
        MANAGER.commit();
        assertEquals("0", commands());
    }

    /** A rollback that a resource decided on by itself, says a resource. It may have got no answer to its COMMIT either. */
    @Test
    void aHeuristicRollbackIsUnconfirmed() throws SQLException {
        Outbox outbox = outbox("commit", manager -> {
            manager.commit();
            throw new HeuristicRollbackException();
        });
        assertThrows(CommitUnconfirmedException.class, () -> enqueue(outbox));
        assertEquals("1", commands());
    }

    @Test
    void aCommitThatReturnsAlthoughTheSynchronizationsHeardOfARollbackIsUnconfirmed() throws SQLException {
        Outbox outbox = outbox("commit", TransactionManager::rollback);
        assertThrows(CommitUnconfirmedException.class, () -> enqueue(outbox));
        assertEquals("0", commands());
    }

    /** Nothing of this can be seen from here. It is why the documentation names it. */
    @Test
    void narayanaReturnsFromACommitThatItsResourceFailedInAWayThatXaDoesNotKnow() throws Exception {
        List<Integer> told = new ArrayList<>();
        MANAGER.begin();
        MANAGER.getTransaction().registerSynchronization(Narayana.afterCompletion(told::add));
        MANAGER.getTransaction().enlistResource(failingAtCommit());
        MANAGER.commit();
        assertEquals(List.of(Status.STATUS_COMMITTED), told);
    }

    private static XAResource failingAtCommit() {
        return (XAResource) Proxy.newProxyInstance(
                JtaManagersIT.class.getClassLoader(), new Class<?>[] {XAResource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        throw new IllegalStateException("no answer");
                    }
                    return switch (method.getName()) {
                        case "equals" -> proxy == arguments[0];
                        case "hashCode", "prepare", "getTransactionTimeout" -> 0;
                        case "isSameRM", "setTransactionTimeout" -> false;
                        case "toString" -> "failing at commit";
                        default -> null;
                    };
                });
    }

    @Test
    void aTransactionThatCannotBeginIsAStorageError() throws SQLException {
        Outbox outbox = outbox("begin", manager -> {
            throw new SystemException("begin");
        });
        assertThrows(OutboxStorageException.class, () -> enqueue(outbox));
        assertEquals("0", commands());
    }

    @Test
    void aCallersTransactionThatCannotBeResumedStopsTheCallerThoughTheWorkIsCommitted() throws Exception {
        Outbox outbox = outbox("resume", manager -> {
            throw new InvalidTransactionException("resume");
        });
        MANAGER.begin();
        Transaction callers = MANAGER.getTransaction();
        CommitUnconfirmedException e = assertThrows(CommitUnconfirmedException.class, () -> enqueue(outbox));
        assertInstanceOf(InvalidTransactionException.class, e.getCause());
        assertEquals("1", commands());
        MANAGER.resume(callers);
        MANAGER.rollback();
    }

    /** Each statement would commit by itself, whatever becomes of the JTA transaction. */
    @Test
    void aDataSourceThatTakesNoPartInJtaTransactionsIsRefusedBeforeAnythingIsStored() throws Exception {
        HikariDataSource plain = database.pool("", 2, true);
        EntityManagerFactory unit = database.jtaUnit(plain, List.of(BusinessJob.class), Map.of());
        Outbox outbox = Requests.outbox(unit);
        MANAGER.begin();
        try (EntityManager em = unit.createEntityManager()) {
            IllegalStateException e =
                    assertThrows(IllegalStateException.class, () -> outbox.enqueue(em, id, Requests.of("1")));
            assertTrue(e.getMessage().contains("autocommit"), e.getMessage());
            MANAGER.rollback();
        }
        assertEquals("0", commands());
    }

    @Test
    void aDataSourceThatTakesNoPartAndDoesNotCommitByItselfIsRefusedToo() throws Exception {
        EntityManagerFactory unit = database.jtaUnit(database.pool("", 2), List.of(BusinessJob.class), Map.of());
        Outbox outbox = Requests.outbox(unit);
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> enqueue(outbox));
        assertTrue(e.getMessage().contains("takes no part"), e.getMessage());
        assertEquals("0", commands());
    }

    /** The driver's own XA connection says so, and the server has a transaction all the same. */
    @Test
    void anXaConnectionThatReportsAutocommitIsTakenForWhatItIs() throws Exception {
        DataSource reporting = reportingAutocommit(database.jtaPoolThrough(proxy.port(), Enlistment.XA));
        EntityManagerFactory unit = database.jtaUnit(reporting, List.of(BusinessJob.class), Map.of());
        Outbox outbox = Requests.outbox(unit);
        MANAGER.begin();
        try (EntityManager em = unit.createEntityManager()) {
            outbox.enqueue(em, id, Requests.of("1"));
            MANAGER.rollback();
        }
        assertEquals("0", commands());
        assertEquals(EnqueueResult.INSERTED, enqueue(outbox));
        assertEquals("1", commands());
    }

    @Test
    void aUnitThatIsNotJoinedToTheTransactionIsToldSo() throws Exception {
        MANAGER.begin();
        try (EntityManager em = bench.unit().createEntityManager(SynchronizationType.UNSYNCHRONIZED)) {
            assertThrows(IllegalStateException.class, () -> bench.outbox().enqueue(em, id, Requests.of("1")));
            em.joinTransaction();
            bench.outbox().enqueue(em, id, Requests.of("1"));
            MANAGER.commit();
        }
        assertEquals("1", commands());
    }

    private static DataSource reportingAutocommit(DataSource source) {
        return overriding(
                DataSource.class,
                source,
                "getConnection",
                connection -> overriding(Connection.class, (Connection) connection, "getAutoCommit", reported -> true));
    }

    private static <T> T overriding(Class<T> type, T target, String method, UnaryOperator<Object> result) {
        return type.cast(Proxy.newProxyInstance(
                JtaManagersIT.class.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
                    try {
                        Object answer = called.invoke(target, arguments);
                        return called.getName().equals(method) ? result.apply(answer) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private EnqueueResult enqueue(Outbox outbox) {
        return outbox.transactions().inTransaction(id, em -> outbox.enqueue(em, id, Requests.of("1")));
    }

    private String commands() throws SQLException {
        return database.value("SELECT COUNT(*) FROM sender_outbox WHERE operation_id = '" + id + "'");
    }

    private static Outbox outbox(String method, Instead instead) {
        return outbox(new WrongManagerPlatform(method, instead));
    }

    /** Hibernate reads the database's meta data within a suspended transaction, which not all of these can suspend. */
    private static Outbox outbox(JtaPlatform platform) {
        EntityManagerFactory unit = database.jtaUnit(
                bench.pool(),
                List.of(BusinessJob.class),
                Map.of(
                        "hibernate.transaction.jta.platform", platform,
                        "jakarta.persistence.database-product-name", "MySQL",
                        "jakarta.persistence.database-product-version", "8.4",
                        "hibernate.boot.allow_jdbc_metadata_access", "false"));
        return Requests.outbox(unit);
    }
}
