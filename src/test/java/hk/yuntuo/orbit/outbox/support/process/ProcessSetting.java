package hk.yuntuo.orbit.outbox.support.process;

import java.time.Duration;
import java.util.Optional;

/**
 * What a {@link SenderProcess} is told: each is an environment variable of its own process, so that no secret shows in an argument. The
 * credential comes in the variables that the library itself reads.
 */
public enum ProcessSetting {
    /** Which {@link ProcessRole.Kind} to play; default SENDER. */
    ROLE,
    /** The schema. */
    JDBC_URL,
    JDBC_USER,
    JDBC_PASSWORD,
    /** Connections in the pool; default 10. */
    POOL,
    /** The platform's base URL. */
    PLATFORM_URL,
    /** Senders in the one process, each with its own run; default 1. */
    SENDERS,
    /** Deliveries in flight at most, of each sender; default 16. */
    CONCURRENCY,
    /** Milliseconds; default 50. */
    POLL_INTERVAL,
    /** Milliseconds; default 20 s. */
    SHUTDOWN_TIMEOUT,
    /** Milliseconds; by default, the first failure ends the run. */
    RETRY_DELAY,
    /** Which {@link SendingRole.Callback} runs with an acceptance; default LINK. */
    CALLBACK,
    /** If set, each receipt waits for {@link SenderProcess#proceed} before the sender gets it. */
    PAUSE,
    /** The operation of the role BUSINESS. */
    OPERATION;

    /** The environment variable. */
    String variable() {
        return "OUTBOX_PROCESS_" + name();
    }

    Optional<String> value() {
        return Optional.ofNullable(System.getenv(variable()));
    }

    String required() {
        return value().orElseThrow(() -> new IllegalStateException(variable() + " is not set"));
    }

    int number(int byDefault) {
        return value().map(Integer::parseInt).orElse(byDefault);
    }

    Optional<Duration> duration() {
        return value().map(millis -> Duration.ofMillis(Long.parseLong(millis)));
    }

    <E extends Enum<E>> E choice(E byDefault) {
        return value().map(name -> Enum.valueOf(byDefault.getDeclaringClass(), name))
                .orElse(byDefault);
    }
}
