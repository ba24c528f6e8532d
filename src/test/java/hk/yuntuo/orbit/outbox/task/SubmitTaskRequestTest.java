package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SubmitTaskRequestTest {
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

    @Test
    void fillsInTheDefaults() {
        SubmitTaskRequest request = good().build();
        assertEquals(Optional.empty(), request.businessKey());
        assertEquals(Duration.ofHours(1), request.taskTimeout());
        assertEquals(Optional.empty(), request.delay());
        assertEquals(Optional.empty(), request.availableAt());
        assertEquals(Optional.empty(), request.startDeadlineAt());
        assertEquals(RecoveryLevel.RERUN, request.recoveryLevel());
        assertEquals(new AttemptPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(60)), request.attemptPolicy());
    }

    @Test
    void keepsWhatIsGiven() {
        AttemptPolicy policy = new AttemptPolicy(5, Duration.ofSeconds(2), Duration.ofSeconds(3));
        SubmitTaskRequest request = good().businessKey("key")
                .taskTimeout(Duration.ofSeconds(7))
                .availableAt(NOON)
                .startDeadlineAt(LAST)
                .recoveryLevel(RecoveryLevel.MANUAL)
                .attemptPolicy(policy)
                .build();
        assertEquals("queue", request.queueId());
        assertEquals("handler", request.handler());
        assertEquals("h1", request.handlerVersion());
        assertEquals("p1", request.payloadVersion());
        assertEquals("{\"a\": 1.10}", request.payload());
        assertEquals(Optional.of("key"), request.businessKey());
        assertEquals(Duration.ofSeconds(7), request.taskTimeout());
        assertEquals(Optional.of(NOON), request.availableAt());
        assertEquals(Optional.of(LAST), request.startDeadlineAt());
        assertEquals(RecoveryLevel.MANUAL, request.recoveryLevel());
        assertEquals(policy, request.attemptPolicy());
        assertEquals(
                Optional.of(Duration.ofDays(1)),
                good().delay(Duration.ofDays(1)).build().delay());
    }

    @Test
    void theLaterPayloadCounts() {
        ArrayNode tree = JsonNodeFactory.instance.arrayNode().add(1);
        assertEquals("[1]", good().payload("2").payload(tree).build().payload());
        assertEquals("2", good().payload(tree).payload("2").build().payload());
    }

    @Test
    void aTreeIsRenderedByBuild() {
        ArrayNode tree = JsonNodeFactory.instance.arrayNode().add(1);
        SubmitTaskRequestBuilder builder = good().payload(tree);
        SubmitTaskRequest request = builder.build();
        tree.add(2);
        assertEquals("[1]", request.payload());
        assertEquals("[1,2]", builder.build().payload());
    }

    @Test
    void aBuilderMayBeUsedAgainAndARequestDoesNotChange() {
        SubmitTaskRequestBuilder builder = good();
        SubmitTaskRequest first = builder.build();
        SubmitTaskRequest second = builder.handler("other").build();
        assertEquals("handler", first.handler());
        assertEquals("other", second.handler());
    }

    @Test
    void toStringLeavesThePayloadOut() {
        String shown = good().payload("\"secret\"").businessKey("key").build().toString();
        assertFalse(shown.contains("secret"), shown);
        assertTrue(shown.contains("queueId=queue") && shown.contains("businessKey=key"), shown);
    }

    private static SubmitTaskRequestBuilder good() {
        return SubmitTaskRequest.builder()
                .queueId("queue")
                .handler("handler")
                .handlerVersion("h1")
                .payloadVersion("p1")
                .payload("{\"a\": 1.10}");
    }
}
