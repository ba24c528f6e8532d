package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Lets a command end in order, and with an exit code of its own, on SIGINT and SIGTERM. */
final class Shutdown {
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    /**
     * On a signal, runs {@code stop} and waits for the command to end, at most {@code limit}. Without it, the JVM would end at once,
     * with 128 and the signal's number.
     */
    void onSignal(Duration limit, Runnable stop) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            stop.run();
                            // Within a hook, only halt can still choose the exit code.
                            Runtime.getRuntime().halt(await(limit));
                        },
                        "stop"));
    }

    /** Ends the JVM. */
    void exit(int code) {
        exitCode.complete(code);
        System.exit(code);
    }

    private int await(Duration limit) {
        try {
            return exitCode.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException | InterruptedException e) {
            System.err.println(new Failure(
                    ExitStatus.SHUTDOWN_TIMEOUT, "The command did not end within " + limit.toSeconds() + " s."));
            return ExitStatus.SHUTDOWN_TIMEOUT.code();
        }
    }
}
