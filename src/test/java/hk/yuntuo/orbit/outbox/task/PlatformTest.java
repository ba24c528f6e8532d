package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.testing.OrbitScope;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** An adapter and the platform it talks to, new for each test. */
@Timeout(30)
abstract class PlatformTest {
    static final Duration LONG = Duration.ofSeconds(20);
    static final Duration SHORT = Duration.ofMillis(150);
    static final String DOCUMENT = "{ \"document_version\":1,\"queue_id\":\"outbox\",\"handler\":\"h\","
            + "\"handler_version\":\"v1\",\"payload_version\":\"v1\",\"task_timeout_ms\":60000,"
            + "\"recovery_level\":\"RERUN\",\"attempt_policy\":{\"max_attempts\":3,\"first_backoff_ms\":1000,"
            + "\"max_backoff_ms\":60000},\"payload\":{\"n\":9007199254740993,\"d\":1.10,\"s\":\"\u00e4\u20ac\"} }\n";
    static final SubmitTaskCommand COMMAND =
            new SubmitTaskCommand("outbox-task-1", DOCUMENT.getBytes(StandardCharsets.UTF_8));

    OrbitSimulator simulator;
    OrbitCredentials credentials;
    HttpTaskPlatform platform;

    @BeforeEach
    void start() {
        simulator = OrbitSimulator.start();
        credentials = simulator.issueCredential("team-a", "outbox", OrbitScope.values());
        platform = HttpTaskPlatform.builder(simulator.url(), credentials).build();
    }

    @AfterEach
    void stop() {
        simulator.close();
    }

    ResultCode codeOf(Executable call) {
        return failure(call).resultCode().orElseThrow();
    }

    /** The failure of a call; whatever it is, neither it nor its causes may hold the token. */
    TaskPlatformException failure(Executable call) {
        TaskPlatformException thrown = assertThrows(TaskPlatformException.class, call);
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            assertFalse(t.toString().contains(credentials.token()), t.toString());
        }
        return thrown;
    }
}
