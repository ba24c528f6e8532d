package hk.yuntuo.orbit.outbox.testing;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Random words that need no quoting, for passwords and names. */
final class RandomHex {

    private static final SecureRandom RANDOM = new SecureRandom();

    private RandomHex() {}

    static String bytes(int count) {
        byte[] random = new byte[count];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
