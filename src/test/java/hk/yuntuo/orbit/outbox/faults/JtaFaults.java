package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.jta.JtaBench;
import hk.yuntuo.orbit.outbox.support.jta.Narayana;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** JTA units behind a proxy, one for each way a connection takes part in transactions; the truth is asked for beside them. */
abstract class JtaFaults {
    static final TransactionManager MANAGER = Narayana.manager();
    static final Map<Enlistment, JtaBench> BENCHES = new EnumMap<>(Enlistment.class);
    static TestDatabase database;
    static MySqlProxy proxy;
    /** That of a local resource. */
    static JtaBench bench;

    static Outbox truth;

    final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("jta");
        proxy = database.newProxy();
        truth = Requests.outbox(database.unit());
        for (Enlistment enlistment : Enlistment.values()) {
            BENCHES.put(enlistment, JtaBench.open(database, proxy, enlistment));
        }
        bench = BENCHES.get(Enlistment.LOCAL);
    }

    @AfterEach
    void everythingWasGivenBack() throws SystemException {
        for (JtaBench one : BENCHES.values()) {
            one.assertAtRest();
        }
        assertEquals(0, proxy.disarm());
    }

    @AfterAll
    static void close() {
        database.close();
        proxy.close();
    }
}
