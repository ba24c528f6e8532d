package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.support.StatementLog;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.SystemException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each path of {@link ListenerPaths} in a JTA transaction: the server receives the same. */
class JtaListenerPathsIT {
    private static ListenerDatabase database;
    private static MySqlProxy proxy;
    private static EntityManagerFactory unit;
    private static StatementLog log;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("jta_paths");
        proxy = database.database().newProxy();
        unit = database.jtaUnit(
                database.database().jtaPoolThrough(proxy.port(), Enlistment.LOCAL),
                Map.of("hibernate.jta.allowTransactionAccess", "true"));
        log = StatementLog.open(database.database());
    }

    @AfterEach
    void nothingIsLeftOnTheThread() throws SystemException {
        Narayana.clearThread();
    }

    @AfterAll
    static void close() throws SQLException {
        log.close();
        database.close();
        proxy.close();
    }

    static List<ListenerPaths.Path> paths() {
        return ListenerPaths.all();
    }

    @ParameterizedTest
    @MethodSource("paths")
    void theCommandComesFirstAndExactlyOnceOrNotAtAll(ListenerPaths.Path path) throws SQLException {
        Scene scene = new Scene(unit);
        log.clear();
        path.work().accept(scene);
        assertEquals(story(path), scene.story(log));
        assertEquals(path.commands(), database.commands(scene.operationIds()));
    }

    /** Of a mark for rollback a resource-local commit says nothing; a JTA commit throws. */
    private static String story(ListenerPaths.Path path) {
        return path.story().equals("COMMAND, rollback") ? path.story() + ", TransactionException" : path.story();
    }
}
