package hk.yuntuo.orbit.outbox.support.proxy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A strike that is armed, and then, once, used up by the command it strikes. Closing it lets go of what it holds. Thread-safe. */
public final class Mark implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Strike strike;
    private final CountDownLatch struck = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private volatile String answer = "none";

    Mark(Strike strike) {
        this.strike = strike;
    }

    Strike strike() {
        return strike;
    }

    public boolean isStruck() {
        return struck.getCount() == 0;
    }

    /** Waits until it has struck; a strike at a reply has struck when the server's answer has come. */
    public void awaitStruck() throws InterruptedException {
        if (!struck.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("no command was struck by " + strike);
        }
    }

    /** Lets go of what is held. */
    public void release() {
        released.countDown();
    }

    @Override
    public void close() {
        release();
    }

    /** What the server answered to the command: {@code OK}, {@code ERROR} with its number, {@code ROWS}, or {@code none}. */
    public String answer() {
        return answer;
    }

    void answered(String text) {
        answer = text;
        answered.countDown();
    }

    /** Waits until the server has answered. */
    public void awaitAnswer() throws InterruptedException {
        if (!answered.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the server did not answer what was struck by " + strike);
        }
    }

    void strikes() {
        struck.countDown();
    }

    boolean isReleasedWithin(long millis) throws InterruptedException {
        return released.await(millis, TimeUnit.MILLISECONDS);
    }
}
