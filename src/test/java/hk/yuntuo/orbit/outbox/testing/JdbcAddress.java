package hk.yuntuo.orbit.outbox.testing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server is: the parts of a {@code jdbc:mysql:} URL, without a schema. */
record JdbcAddress(String host, int port, String options) {

    private static final int DEFAULT_PORT = 3306;
    private static final Pattern URL = Pattern.compile(
            "jdbc:mysql://" + "(?<host>\\[[^]]+]|[^:/?,()@]+)(?::(?<port>\\d{1,5}))?(?:/[^?]*)?(?:\\?(?<options>.*))?");

    /** A server of ours, reached by TCP without TLS: its key is then needed for a login with a password. */
    static JdbcAddress plain(String host, int port) {
        return new JdbcAddress(host, port, "sslMode=DISABLED&allowPublicKeyRetrieval=true");
    }

    /** Reads a URL with one host; its options are kept, its schema is not. */
    static JdbcAddress parse(String url) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            // The URL itself may hold a password, so it is not shown.
            throw new IllegalArgumentException(
                    "not of the form jdbc:mysql://host[:port][/schema][?option=value&...], one host, no user@");
        }
        String port = parts.group("port");
        String options = parts.group("options");
        return new JdbcAddress(
                parts.group("host"),
                port == null ? DEFAULT_PORT : Integer.parseInt(port),
                options == null ? "" : options);
    }

    String url(String schema) {
        return "jdbc:mysql://" + host + ":" + port + "/" + schema + (options.isEmpty() ? "" : "?" + options);
    }

    /** The options may hold a password. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
