package hk.yuntuo.orbit.outbox.testing;

import java.util.Optional;

/** What a user may set for the tests: a system property, or else an environment variable of the same name. */
enum TestSettings {
    /** A running server to use. */
    OUTBOX_TEST_JDBC_URL,
    /** Its user; default {@code root}. */
    OUTBOX_TEST_JDBC_USER,
    /** The user's password; default none. */
    OUTBOX_TEST_JDBC_PASSWORD,
    /** The folder for what is fetched and for the data of running servers. */
    OUTBOX_TEST_CACHE,
    /** The Debian archive to fetch from. */
    OUTBOX_TEST_DEBIAN_MIRROR;

    Optional<String> value() {
        return Optional.ofNullable(System.getProperty(name()))
                .or(() -> Optional.ofNullable(System.getenv(name())))
                .filter(value -> !value.isBlank());
    }
}
