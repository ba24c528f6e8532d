package hk.yuntuo.orbit.outbox.support.process;

import java.io.IOException;
import java.util.concurrent.Semaphore;

/** The standard input of a {@link SenderMain}: each line lets one paused thread go on, its end ends the process. */
final class StandardInput {
    private static final Semaphore LINES = new Semaphore(0);

    private StandardInput() {}

    /** Returns at once. */
    static void obey(int exitCodeAtItsEnd) {
        Thread thread = new Thread(
                () -> {
                    read();
                    Runtime.getRuntime().halt(exitCodeAtItsEnd);
                },
                "standard-input");
        thread.setDaemon(true);
        thread.start();
    }

    private static void read() {
        try {
            int read;
            while ((read = System.in.read()) >= 0) {
                if (read == '\n') {
                    LINES.release();
                }
            }
        } catch (IOException e) {
            // As good as its end.
        }
    }

    static void awaitLine() {
        LINES.acquireUninterruptibly();
    }
}
