package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The arguments as the process got them. The JVM replaces, in silence, what its locale cannot decode, and two business identities could
 * become one that way.
 *
 * @param bytes all arguments; empty where they cannot be read
 * @param encoding the encoding in which the JVM decoded them
 */
record ArgumentBytes(byte[] bytes, String encoding) {
    private static final Path LINUX = Path.of("/proc/self/cmdline");

    static ArgumentBytes ofThisProcess() {
        String encoding = System.getProperty("sun.jnu.encoding", "");
        try {
            return new ArgumentBytes(Files.readAllBytes(LINUX), encoding);
        } catch (IOException notLinux) {
            return new ArgumentBytes(new byte[0], encoding);
        }
    }

    void requireUndamaged() {
        try {
            CharSequence text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            if (!encoding.equalsIgnoreCase("UTF-8") && text.chars().anyMatch(c -> c > 0x7f)) {
                throw new InvalidInputException(
                        "arguments", "must be ASCII in this locale: set LC_ALL=C.UTF-8 for others", null);
            }
        } catch (CharacterCodingException e) {
            throw new InvalidInputException("arguments", "must be valid UTF-8", null);
        }
    }
}
