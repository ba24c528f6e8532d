package hk.yuntuo.orbit.outbox.internal.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.CharBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Which JSON text may be stored and sent: what RFC 8259, read strictly, and MySQL's JSON_VALID both take, less duplicate keys.
 * Messages hold nothing of the text, only the place. Time and memory are linear in its length, whatever it holds.
 */
public final class JsonRules {
    /** The deepest document that MySQL takes: at 101 levels JSON_VALID raises error 3157 instead of answering. */
    public static final int MAX_DEPTH = 100;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            // The bounds are ours alone: Jackson's own would refuse long numbers, names and strings that MySQL takes.
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            // The table of names throws at many names of equal hash, and is of no use to a single pass.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final String field;
    private final int maxDepth;
    private final JsonParser parser;
    /**
     * The keys so far of each open object. Kept here, as Jackson's own detection quotes the key and has no error type of its
     * own.
     */
    private final Deque<Set<String>> keys = new ArrayDeque<>();

    private int depth;

    private JsonRules(String field, int maxDepth, JsonParser parser) {
        this.field = field;
        this.maxDepth = maxDepth;
        this.parser = parser;
    }

    /**
     * Checks a text.
     *
     * @param field the name of what it was given as, for the message
     * @param json the text
     * @param maxDepth how deep it may be, counted as MySQL does: every open array or object is a level, the empty one
     *     too; a scalar is none
     * @throws InvalidInputException if the text is not one strict JSON value, repeats a key in an object, holds half a
     *     surrogate pair (as it is or escaped) or a number that MySQL refuses ({@link JsonNumbers}), or is too deep
     */
    public static void check(String field, String json, int maxDepth) {
        int half = Surrogates.indexOfLone(json);
        if (half >= 0) {
            throw new InvalidInputException(
                    field, "must be valid Unicode, but has half a surrogate pair at index " + half, null);
        }
        try (JsonParser parser = FACTORY.createParser(json)) {
            new JsonRules(field, maxDepth, parser).readAll();
        } catch (JsonProcessingException notJson) {
            // Neither its message nor itself as a cause: it quotes the text.
            throw new InvalidInputException(
                    field, "must be one strict JSON value" + place(notJson.getLocation()), null);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void readAll() throws IOException {
        JsonToken token = parser.nextToken();
        if (token == null) {
            throw new InvalidInputException(field, "must be one strict JSON value, but is empty", null);
        }
        do {
            read(token);
            token = parser.nextToken();
        } while (depth > 0);
        if (token != null) {
            throw broken("must be one strict JSON value, but goes on after it");
        }
    }

    private void read(JsonToken token) throws IOException {
        switch (token) {
            case START_ARRAY -> enter();
            case START_OBJECT -> {
                enter();
                keys.push(new HashSet<>());
            }
            case END_ARRAY -> depth--;
            case END_OBJECT -> {
                depth--;
                keys.pop();
            }
            case FIELD_NAME -> readKey(parser.currentName());
            case VALUE_STRING -> readString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> readNumber();
            default -> {
                // true, false, null
            }
        }
    }

    private void enter() {
        depth++;
        if (depth > maxDepth) {
            throw broken("must be at most " + maxDepth + " levels deep");
        }
    }

    private void readKey(String key) {
        requireWholePairs(key);
        if (!keys.element().add(key)) {
            throw broken("must not repeat a key in one object");
        }
    }

    private void readString() throws IOException {
        requireWholePairs(CharBuffer.wrap(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength()));
    }

    private void readNumber() throws IOException {
        if (!JsonNumbers.isTaken(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength())) {
            throw broken("must hold no number outside a double's range, as MySQL reads it");
        }
    }

    /** The text itself has whole pairs only, so half a one can only have been escaped. */
    private void requireWholePairs(CharSequence unescaped) {
        if (Surrogates.indexOfLone(unescaped) >= 0) {
            throw broken("must be valid Unicode, but has half a surrogate pair as an escape");
        }
    }

    private InvalidInputException broken(String rule) {
        return new InvalidInputException(field, rule + place(parser.currentTokenLocation()), null);
    }

    private static String place(JsonLocation location) {
        return location == null ? "" : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
