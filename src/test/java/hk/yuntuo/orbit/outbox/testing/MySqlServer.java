package hk.yuntuo.orbit.outbox.testing;

import org.jspecify.annotations.Nullable;

/**
 * A real MySQL server for tests and demos, found or started on any machine; one for the whole JVM.
 *
 * <p>{@link #find()} takes the first of these ways that is open:
 *
 * <ol>
 *   <li>the running server that {@code OUTBOX_TEST_JDBC_URL} names (with {@code OUTBOX_TEST_JDBC_USER}, default
 *       {@code root}, and {@code OUTBOX_TEST_JDBC_PASSWORD}, default none), whose user may create schemas;
 *   <li>a Docker engine that answers, with Testcontainers on the class path: a container of {@code mysql:8.4};
 *   <li>a {@code mysqld} of MySQL 8.4 or later on the {@code PATH}, {@code /usr/sbin} or {@code /usr/local/sbin};
 *   <li>on Debian, its package {@code mysql-server-core} (suite sid; about 50 MB), fetched once into the cache folder
 *       without root and without a change to the system.
 * </ol>
 *
 * <p>Each name in capitals is a system property or an environment variable. A server that is started here has a random
 * password and a data folder of its own, and runs with the server's defaults; outside Docker it listens on 127.0.0.1
 * only and has a redo log of 64 MB. It ends with this JVM, a kill included, and its data is removed. The cache folder
 * is {@code OUTBOX_TEST_CACHE}, else {@code orbit-outbox-jpa} in {@code XDG_CACHE_HOME}, else in {@code ~/.cache}.
 *
 * <p>Thread-safe. Needs mysql-connector-j on the class path.
 */
public final class MySqlServer {

    /** The way on which a server was found. */
    public enum Origin {
        /** The server that {@code OUTBOX_TEST_JDBC_URL} names. */
        CONFIGURED,
        /** A container started by Testcontainers. */
        DOCKER,
        /** A process of this machine's own {@code mysqld}. */
        MYSQLD_ON_PATH,
        /** A process of the {@code mysqld} that was fetched into the cache folder. */
        FETCHED
    }

    private static @Nullable MySqlServer found;
    private static @Nullable IllegalStateException refusal;

    private final MySqlAccess access;
    private final Origin origin;

    MySqlServer(MySqlAccess access, Origin origin) {
        this.access = access;
        this.origin = origin;
    }

    /**
     * Returns this JVM's server, which accepts connections; the first call finds or starts it.
     *
     * <p>The first call takes from a second to some minutes (the fetch), later ones return at once. A failure is kept
     * as well: later calls fail at once with the first call's reason.
     *
     * @return the same server at every call
     * @throws IllegalStateException if no way is open; the message names each and why not, and what to do
     */
    public static synchronized MySqlServer find() {
        if (refusal != null) {
            throw new IllegalStateException(refusal.getMessage(), refusal);
        }
        if (found == null) {
            try {
                found = MySqlLookup.locate();
            } catch (IllegalStateException e) {
                if (!Thread.currentThread().isInterrupted()) {
                    refusal = e;
                }
                throw e;
            }
        }
        return found;
    }

    /**
     * Creates an empty schema with a unique name.
     *
     * @param prefix the beginning of its name: a lower-case letter, then up to 39 of {@code a-z}, {@code 0-9} and
     *     {@code _}
     * @return the schema; the caller closes it, which drops it
     * @throws IllegalArgumentException if the prefix is not such a name
     * @throws IllegalStateException if the server refuses
     */
    public TestSchema createSchema(String prefix) {
        return TestSchema.create(access, prefix);
    }

    /**
     * Returns the URL of a schema on this server, with the connection options that this server needs.
     *
     * @param schema the schema's name; empty for none
     * @return a {@code jdbc:mysql:} URL
     */
    public String jdbcUrl(String schema) {
        return access.address().url(schema);
    }

    /**
     * Returns the host.
     *
     * @return a host name or address
     */
    public String host() {
        return access.address().host();
    }

    /**
     * Returns the TCP port.
     *
     * @return the port
     */
    public int port() {
        return access.address().port();
    }

    /**
     * Returns a user who may create schemas.
     *
     * @return the user's name
     */
    public String user() {
        return access.user();
    }

    /**
     * Returns the password of {@link #user()}.
     *
     * @return the password; may be empty
     */
    public String password() {
        return access.password();
    }

    /**
     * Says on which way this server was found.
     *
     * @return the way
     */
    public Origin origin() {
        return origin;
    }

    @Override
    public String toString() {
        return origin + " " + access;
    }
}
