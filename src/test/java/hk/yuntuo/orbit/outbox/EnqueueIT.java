package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One enqueue in one transaction, and what is left of it. */
class EnqueueIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final String id = OperationId.next().value();
    private final SubmitTaskRequest request = Requests.of("{\"n\":1}");

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("enqueue");
        factory = database.unit();
        outbox = Outbox.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .build();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void aCommittedTransactionLeavesOnePendingRow() {
        EnqueueResult result = outbox.transactions().inTransaction(em -> {
            EnqueueResult enqueued = outbox.enqueue(em, id, request);
            em.persist(new BusinessJob(id, id));
            return enqueued;
        });

        assertEquals(EnqueueResult.INSERTED, result);
        OutboxRecord row = outbox.status(id).orElseThrow();
        assertEquals(OutboxState.PENDING, row.state());
        assertEquals("outbox-task-" + id, row.submissionKey());
        assertEquals(0, row.sendCount());
        assertEquals(0, row.leaseEpoch());
        assertEquals(row.createdAt(), row.dueAt());
        assertEquals(Duration.ofHours(24), Duration.between(row.createdAt(), row.sendDeadlineAt()));
        assertEquals(Optional.of(row), Optional.of(outbox.resolve(id).orElseThrow()));
    }
}
