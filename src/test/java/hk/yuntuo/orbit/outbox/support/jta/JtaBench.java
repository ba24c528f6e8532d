package hk.yuntuo.orbit.outbox.support.jta;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.MarkingJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.support.jta.Narayana.Enlistment;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import io.agroal.api.AgroalDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.SystemException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A JTA unit whose connections go through a proxy, its pool and its outbox. */
public record JtaBench(Enlistment enlistment, AgroalDataSource pool, EntityManagerFactory unit, Outbox outbox) {
    public static JtaBench open(TestDatabase database, MySqlProxy proxy, Enlistment enlistment) {
        AgroalDataSource pool = database.jtaPoolThrough(proxy.port(), enlistment);
        EntityManagerFactory unit = database.jtaUnit(pool, List.of(BusinessJob.class, MarkingJob.class), Map.of());
        return new JtaBench(enlistment, pool, unit, Requests.outbox(unit));
    }

    /** The statement that commits, as the driver sends it. */
    public Predicate<String> commit() {
        return enlistment == Enlistment.XA ? sql -> sql.startsWith("XA COMMIT") : MySqlProxy.COMMIT;
    }

    /** The work of a service: the command, and the business row unless it is there. */
    public EnqueueResult report(EntityManager em, String id) {
        EnqueueResult result = outbox.enqueue(em, id, Requests.of("1"));
        if (result == EnqueueResult.INSERTED) {
            em.persist(new BusinessJob(id, id));
        }
        return result;
    }

    /** No transaction is left on the thread, and no connection out of the pool. */
    public void assertAtRest() throws SystemException {
        Narayana.clearThread();
        assertEquals(0, pool.getMetrics().activeCount());
    }

    /** Both or neither. */
    public static void assertStored(TestDatabase database, String id, int count) throws SQLException {
        String where = " WHERE operation_id = '" + id + "'";
        assertEquals(
                count + "|" + count,
                database.value("SELECT (SELECT COUNT(*) FROM sender_outbox" + where
                        + "), (SELECT COUNT(*) FROM business_job" + where + ")"));
    }
}
