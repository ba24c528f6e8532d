package hk.yuntuo.orbit.outbox.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Code that a document shows and a test runs: in both it lies behind a marker of the same name. */
public record DocumentedCode(String document, String source) {
    /** The formatter decides on line breaks in the source, and a class of a document is static within a test. */
    public void assertShown(String marker) throws IOException {
        String shown = between(Files.readString(Path.of(document)), "<!-- " + marker + " -->\n```java\n", "```");
        String run = between(Files.readString(Path.of(source)), "// " + marker + "\n", "// end of " + marker);
        assertEquals(words(run.replace("public static class", "public class")), words(shown));
    }

    private static List<String> words(String code) {
        return Arrays.stream(code.replaceAll("\\s+", "").split("(?<=[;{}])")).toList();
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start);
        assertTrue(from >= 0, start);
        return text.substring(from + start.length(), text.indexOf(end, from + start.length()));
    }
}
