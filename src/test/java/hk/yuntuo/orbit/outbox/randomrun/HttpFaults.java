package hk.yuntuo.orbit.outbox.randomrun;

import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.WrongAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Faults of the platform and of the way to it, armed at random while business goes on. */
final class HttpFaults {
    /** After these the row is sent again. */
    private static final List<Fault> PASSING = List.of(
            Fault.dropBeforeAccepting(),
            Fault.acceptThenDrop(),
            Fault.acceptThenDrop(),
            Fault.halfBodyBeforeAccepting(),
            Fault.acceptThenHalfBody(),
            Fault.acceptThenHalfBody(),
            Fault.status(500),
            Fault.acceptThenStatus(502),
            Fault.retryAfter(429, "1"),
            Fault.retryAfter(503, "2"),
            WrongAnswer.garbage(),
            WrongAnswer.contentType(),
            WrongAnswer.noContent(),
            WrongAnswer.withoutField("task_id"),
            Fault.waitBeforeAccepting(Duration.ofMillis(700)),
            Fault.acceptThenWait(Duration.ofMillis(1_500)),
            // Longer than an exchange may take.
            Fault.acceptThenWait(Duration.ofSeconds(11)));

    /** After these a person must look. */
    private static final Map<ResultCode, Fault> FINAL = Map.of(
            ResultCode.AUTHORIZATION, Fault.status(403),
            ResultCode.IDEMPOTENCY_CONFLICT, Fault.status(409),
            ResultCode.HTTP_REJECTED, Fault.status(422),
            ResultCode.INVALID_RECEIPT, WrongAnswer.otherQueue("queue-of-nobody"));

    private final OrbitSimulator simulator;
    private final Random random;
    private final Tally tally;
    private final List<ResultCode> codes = FINAL.keySet().stream().sorted().toList();
    private int armed;

    HttpFaults(OrbitSimulator simulator, Random random, Tally tally) {
        this.simulator = simulator;
        this.random = random;
        this.tally = tally;
    }

    static List<ResultCode> finalCodes() {
        return List.copyOf(FINAL.keySet());
    }

    /** Called for each business transaction: one time in 12 a fault is armed, and every eighth fault is final, each kind in turn. */
    synchronized void maybeArm() {
        if (random.nextInt(12) != 0) {
            return;
        }
        int number = armed++;
        if (number % 8 == 7) {
            ResultCode code = codes.get(number / 8 % codes.size());
            simulator.faults().next(FINAL.get(code));
            tally.count("HTTP for review " + code);
        } else if (random.nextInt(20) == 0) {
            simulator.faults().next(OrbitCall.GET_QUEUE, Fault.status(500));
            tally.count("HTTP GetQueue 500");
        } else {
            Fault fault = PASSING.get(random.nextInt(PASSING.size()));
            simulator.faults().next(fault);
            tally.count("HTTP " + fault);
        }
    }
}
