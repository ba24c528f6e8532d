package hk.yuntuo.orbit.outbox.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * One thing that goes wrong with one request. Factories named {@code acceptThen...} handle the request first, as if nothing were
 * wrong (a submission creates its task, unless it is refused), and spoil only the answer; the others do not handle it, except where
 * they say so. Answers that are wrong in themselves are in {@link WrongAnswer}. Immutable: a fault can be armed many times.
 */
public final class Fault {
    /** The normal handling of the request. */
    interface Handling {
        Answer handle();
    }

    /** What happens instead of handling a request and sending the answer. */
    interface Script {
        void run(Wire wire, Handling handling) throws IOException, InterruptedException;
    }

    private final String name;
    private final Script script;

    private Fault(String name, Script script) {
        this.name = name;
        this.script = script;
    }

    /**
     * The connection is closed without an answer. Not accepted.
     *
     * @return the fault
     */
    public static Fault dropBeforeAccepting() {
        return new Fault("dropBeforeAccepting", (wire, handling) -> wire.cut());
    }

    /**
     * The connection is closed without an answer. Accepted.
     *
     * @return the fault
     */
    public static Fault acceptThenDrop() {
        return new Fault("acceptThenDrop", (wire, handling) -> {
            handling.handle();
            wire.cut();
        });
    }

    /**
     * A success that announces its whole length, half of its body, and the connection is closed. Not accepted.
     *
     * @return the fault
     */
    public static Fault halfBodyBeforeAccepting() {
        ObjectNode body = Answer.JSON.createObjectNode().put("task_id", "task-never-accepted");
        return new Fault("halfBodyBeforeAccepting", (wire, handling) -> wire.sendHalf(Answer.json(201, body)));
    }

    /**
     * The answer with its whole length announced, half of its body, and the connection is closed. Accepted.
     *
     * @return the fault
     */
    public static Fault acceptThenHalfBody() {
        return new Fault("acceptThenHalfBody", (wire, handling) -> wire.sendHalf(handling.handle()));
    }

    /**
     * The head of the answer and half of its body at once, the other half when the latch opens or the simulator closes. Accepted.
     *
     * @param release opens the latch to go on
     * @return the fault
     */
    public static Fault acceptThenStallBody(CountDownLatch release) {
        return new Fault("acceptThenStallBody", (wire, handling) -> wire.sendInTwo(handling.handle(), release::await));
    }

    /**
     * The answer byte by byte, each a moment after the one before, until it is whole or the client has gone. Accepted.
     *
     * @param pause the time between two bytes
     * @return the fault
     */
    public static Fault acceptThenDrip(Duration pause) {
        return new Fault("acceptThenDrip", (wire, handling) -> wire.drip(handling.handle(), pause(pause)));
    }

    /**
     * The answer and then white space without end, in chunks, as fast as the client reads, until it has gone. Accepted.
     *
     * @param gone opened when the client has gone
     * @return the fault
     */
    public static Fault acceptThenEndlessBody(CountDownLatch gone) {
        return new Fault("acceptThenEndlessBody", (wire, handling) -> {
            try {
                wire.sendWithoutEnd(handling.handle());
            } finally {
                gone.countDown();
            }
        });
    }

    /**
     * An error answer with the code {@code simulated}. Not accepted.
     *
     * @param status the status, 200 to 599
     * @return the fault
     */
    public static Fault status(int status) {
        return status(status, "simulated");
    }

    /**
     * An error answer. Not accepted.
     *
     * @param status the status, 200 to 599
     * @param code the code in its body
     * @return the fault
     */
    public static Fault status(int status, String code) {
        return new Fault("status " + status, (wire, handling) -> wire.send(error(status, code)));
    }

    /**
     * An error answer with {@code Retry-After}. Not accepted.
     *
     * @param status the status, such as 429 or 503
     * @param retryAfter the header's value, as it is
     * @return the fault
     */
    public static Fault retryAfter(int status, String retryAfter) {
        Answer answer = error(status, "simulated").withHeader("Retry-After", retryAfter);
        return new Fault("retryAfter " + status, (wire, handling) -> wire.send(answer));
    }

    /**
     * An error answer, such as a gateway's 502. Accepted.
     *
     * @param status the status, 200 to 599
     * @return the fault
     */
    public static Fault acceptThenStatus(int status) {
        return acceptThen("acceptThenStatus " + status, answer -> error(status, "simulated"));
    }

    /**
     * Nothing until the latch opens; then the request is handled and answered as usual. Accepted then, even if the client has long
     * given up; not accepted if the simulator is closed first.
     *
     * @param release opens the latch to go on
     * @return the fault
     */
    public static Fault waitBeforeAccepting(CountDownLatch release) {
        return waiting("waitBeforeAccepting", release::await, () -> {});
    }

    /**
     * As {@link #waitBeforeAccepting(CountDownLatch)}, for a time.
     *
     * @param time how long
     * @return the fault
     */
    public static Fault waitBeforeAccepting(Duration time) {
        return waiting("waitBeforeAccepting", pause(time), () -> {});
    }

    /**
     * The request is handled at once and answered when the latch opens. Accepted.
     *
     * @param release opens the latch to go on
     * @return the fault
     */
    public static Fault acceptThenWait(CountDownLatch release) {
        return waiting("acceptThenWait", () -> {}, release::await);
    }

    /**
     * As {@link #acceptThenWait(CountDownLatch)}, for a time.
     *
     * @param time how long
     * @return the fault
     */
    public static Fault acceptThenWait(Duration time) {
        return waiting("acceptThenWait", () -> {}, pause(time));
    }

    /** The fault's name. */
    @Override
    public String toString() {
        return name;
    }

    void run(Wire wire, Handling handling) throws IOException, InterruptedException {
        script.run(wire, handling);
    }

    /** A fault that handles the request and changes the answer. */
    static Fault acceptThen(String name, UnaryOperator<Answer> change) {
        return new Fault(name, (wire, handling) -> wire.send(change.apply(handling.handle())));
    }

    private static Fault waiting(String name, Wire.Wait before, Wire.Wait after) {
        return new Fault(name, (wire, handling) -> {
            before.await();
            Answer answer = handling.handle();
            after.await();
            wire.send(answer);
        });
    }

    private static Wire.Wait pause(Duration time) {
        // A latch nobody opens: the wait ends with the time, or when the simulator closes and interrupts it.
        return () -> new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static Answer error(int status, String code) {
        return Answer.error(status, code, "A simulated fault.");
    }
}
