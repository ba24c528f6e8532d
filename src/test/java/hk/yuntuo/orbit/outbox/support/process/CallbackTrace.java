package hk.yuntuo.orbit.outbox.support.process;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** A callback that links the business row to its task, and a table that shows how often it was committed, and in which claim's name. */
public final class CallbackTrace {
    private CallbackTrace() {}

    public static void createTable(TestDatabase database) throws SQLException {
        database.update("CREATE TABLE callback_trace (operation_id CHAR(32), lease_epoch BIGINT, task_id VARCHAR(128),"
                + " claimed_at DATETIME(6), KEY (operation_id)) COLLATE utf8mb4_0900_bin");
    }

    /** The time is that of the claim, by the database's clock. */
    public static void leave(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) {
        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId());
        em.createNativeQuery("INSERT INTO callback_trace VALUES (?, ?, ?, ?)")
                .setParameter(1, record.operationId())
                .setParameter(2, record.leaseEpoch())
                .setParameter(3, receipt.taskId())
                .setParameter(4, LocalDateTime.ofInstant(record.updatedAt(), ZoneOffset.UTC))
                .executeUpdate();
    }
}
