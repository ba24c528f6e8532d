package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/** Where the platform is: which URLs a token may be sent to, and how paths are put below them. */
final class BaseUrl {
    private static final String FIELD = "baseUrl";
    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern LOOPBACK_V4 = Pattern.compile("127(\\." + OCTET + "){3}");
    private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    private final URI root;
    private final boolean plain;
    private final boolean loopback;

    private BaseUrl(URI root, boolean plain, boolean loopback) {
        this.root = root;
        this.plain = plain;
        this.loopback = loopback;
    }

    /** Checks the URL. A message never shows it: it may hold a password. */
    static BaseUrl of(URI url, boolean allowInsecureHttp) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") || url.getHost() == null) {
            throw refused("must be an absolute http or https URL with a host");
        }
        if (url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
            throw refused("must have no user information, query or fragment");
        }
        if (url.getPort() == 0 || url.getPort() > 65_535) {
            throw refused("must have a port of 1 to 65535, or none");
        }
        boolean plain = scheme.equals("http");
        boolean loopback = isLoopback(url.getHost());
        if (plain && !loopback && !allowInsecureHttp) {
            throw refused("must be https: plain http shows the token to the network, and is for 127.0.0.0/8, ::1 and"
                    + " localhost only unless allowInsecureHttp is set");
        }
        return new BaseUrl(URI.create(url.toASCIIString().replaceFirst("/+$", "")), plain, loopback);
    }

    /** Whether the exchange is not encrypted. */
    boolean isPlain() {
        return plain;
    }

    /** Whether the platform is on this machine, so that no proxy must come between. */
    boolean isLoopback() {
        return loopback;
    }

    /** The URL of a path below this one; each segment is percent-encoded. */
    URI resolve(String... segments) {
        StringBuilder url = new StringBuilder(root.toString());
        for (String segment : segments) {
            url.append('/').append(encoded(segment));
        }
        return URI.create(url.toString());
    }

    @Override
    public String toString() {
        return root.toString();
    }

    private static String encoded(String segment) {
        // "." and ".." are steps in a path, not names.
        boolean step = segment.equals(".") || segment.equals("..");
        StringBuilder out = new StringBuilder();
        for (byte b : segment.getBytes(StandardCharsets.UTF_8)) {
            if (UNRESERVED.indexOf(b) >= 0 && !step) {
                out.append((char) b);
            } else {
                out.append(String.format("%%%02X", b & 0xff));
            }
        }
        return out.toString();
    }

    private static boolean isLoopback(String host) {
        if (host.startsWith("[")) {
            try {
                // A literal in brackets is parsed; no name is looked up.
                return InetAddress.getByName(host).isLoopbackAddress();
            } catch (UnknownHostException notAnAddress) {
                return false;
            }
        }
        return host.equalsIgnoreCase("localhost") || LOOPBACK_V4.matcher(host).matches();
    }

    private static InvalidInputException refused(String rule) {
        return new InvalidInputException(FIELD, rule, null);
    }
}
