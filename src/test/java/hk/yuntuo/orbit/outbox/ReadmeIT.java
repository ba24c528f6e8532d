package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.DocumentedCode;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.testing.MySqlServer;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.TestSchema;
import jakarta.persistence.EntityManagerFactory;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The README's code is this code, and it works. */
class ReadmeIT {
    @Test
    void theCodeOfTheReadmeWorks() throws SQLException, InterruptedException {
        try (TestDatabase database = TestDatabase.create("readme");
                OrbitSimulator simulator = OrbitSimulator.start()) {
            EntityManagerFactory factory = database.unit();
            String operationId = OperationId.next().value();
            assertEquals(EnqueueResult.INSERTED, enqueue(factory, operationId));

            OrbitCredentials credentials =
                    simulator.issueCredential("team-a", "mails", OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT);
            Map<String, String> environment = Map.of(
                    "ORBIT_URL",
                    simulator.url().toString(),
                    "ORBIT_TOKEN",
                    credentials.token(),
                    "ORBIT_NAMESPACE_ID",
                    "team-a",
                    "ORBIT_QUEUE_ID",
                    "mails");
            Thread sending = new Thread(() -> send(factory, environment));
            sending.start();
            Outbox outbox = Outbox.builder(factory)
                    .namespaceId("team-a")
                    .queueId("mails")
                    .build();
            long end = System.nanoTime() + 20_000_000_000L;
            while (outbox.status(operationId).orElseThrow().state() != OutboxState.ACCEPTED) {
                assertTrue(System.nanoTime() < end);
            }
            sending.interrupt();
            sending.join();
            assertEquals(
                    simulator.tasks().get(0).taskId(),
                    database.value("SELECT task_id FROM business_job WHERE operation_id = '" + operationId + "'"));
        }
    }

    private static EnqueueResult enqueue(EntityManagerFactory factory, String operationId) {
        // readme:enqueue
        Outbox outbox =
                Outbox.builder(factory).namespaceId("team-a").queueId("mails").build();

        EnqueueResult result = outbox.transactions().inTransaction(operationId, em -> {
            EnqueueResult enqueued = outbox.enqueue(
                    em,
                    operationId,
                    SubmitTaskRequest.builder()
                            .queueId("mails")
                            .handler("mail.send")
                            .handlerVersion("v1")
                            .payloadVersion("v1")
                            .payload("{\"order\":9007199254740993}")
                            .build());
            if (enqueued == EnqueueResult.INSERTED) {
                em.persist(new BusinessJob(operationId, "order received"));
            }
            return enqueued;
        });
        // end of readme:enqueue
        return result;
    }

    private static void send(EntityManagerFactory factory, Map<String, String> environment) {
        // readme:send
        OutboxSender sender = OutboxSender.builder(factory)
                .namespaceId("team-a")
                .queueId("mails")
                .onAccepted((em, record, receipt) ->
                        em.find(BusinessJob.class, record.operationId()).taskId(receipt.taskId()))
                .build();
        URI orbitUrl = URI.create(environment.get("ORBIT_URL")); // environment = System.getenv()
        OrbitCredentials credentials = OrbitCredentials.fromEnvironment(environment);
        TaskPlatform platform = HttpTaskPlatform.builder(orbitUrl, credentials).build();

        RunOptions options =
                RunOptions.builder().retryDelay(Duration.ofSeconds(2)).build();
        sender.run(platform, options); // until sender.stop() or an interrupt
        // end of readme:send
    }

    @Test
    void theTestOfTheReadmeFindsWhatItNeeds() throws SQLException {
        // readme:test
        try (TestSchema schema = MySqlServer.find().createSchema("orders");
                Connection connection = schema.connect();
                OrbitSimulator orbit = OrbitSimulator.start();
                HikariDataSource pool = new HikariDataSource()) {
            OutboxSchema.create(connection);
            pool.setJdbcUrl(schema.jdbcUrl());
            pool.setUsername(schema.user());
            pool.setPassword(schema.password());
            OrbitCredentials credentials =
                    orbit.issueCredential("team-a", "mails", OrbitScope.QUEUES_READ, OrbitScope.TASKS_SUBMIT);
            TaskPlatform platform =
                    HttpTaskPlatform.builder(orbit.url(), credentials).build();
            assertEquals(
                    "team-a", platform.getQueue("mails", Duration.ofSeconds(5)).namespaceId());
        }
        // end of readme:test
    }

    @ParameterizedTest
    @ValueSource(strings = {"enqueue", "send", "test"})
    void theReadmeShowsThisVeryCode(String name) throws IOException {
        new DocumentedCode("README.md", "src/test/java/hk/yuntuo/orbit/outbox/ReadmeIT.java")
                .assertShown("readme:" + name);
    }
}
