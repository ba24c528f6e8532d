package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Lets a command end in order on SIGINT and SIGTERM. */
final class Shutdown {
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    /**
     * On a signal, runs {@code stop}, waits for the command to end, at most {@code limit}, and exits with the command's own code: for
     * commands that are ended that way.
     */
    void endOnSignal(Duration limit, Runnable stop) {
        onSignal(() -> {
            stop.run();
            // Within a hook, only halt can still choose the exit code.
            Runtime.getRuntime().halt(await(limit));
        });
    }

    /**
     * On a signal, runs {@code stop} and waits for the command to end, at most {@code limit}; the exit code is 128 and the signal's
     * number: for commands that are broken off that way.
     */
    void breakOffOnSignal(Duration limit, Runnable stop) {
        onSignal(() -> {
            stop.run();
            await(limit);
        });
    }

    /** Ends the JVM. */
    void exit(int code) {
        exitCode.complete(code);
        System.exit(code);
    }

    private void onSignal(Runnable action) {
        Runnable unlessEnded = () -> {
            if (!exitCode.isDone()) {
                action.run();
            }
        };
        Runtime.getRuntime().addShutdownHook(new Thread(unlessEnded, "stop"));
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
