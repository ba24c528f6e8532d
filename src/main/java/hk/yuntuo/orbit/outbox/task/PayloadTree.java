package hk.yuntuo.orbit.outbox.task;

import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.databind.JsonNode;
import hk.yuntuo.orbit.outbox.internal.json.JsonText;
import hk.yuntuo.orbit.outbox.internal.json.Surrogates;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.util.Iterator;
import java.util.Map;

/**
 * Renders a tree as the JSON text of a payload: equal trees of equal key order give equal text, on every JVM and with every
 * setting of Jackson. Decimal and whole numbers keep their digits and scale ({@code 1.10}, {@code 1E+3}). A double is the
 * shortest decimal that reads back as it, by Jackson's own algorithm, because {@link Double#toString(double)} gives other
 * digits before Java 19.
 */
final class PayloadTree {
    private final StringBuilder out = new StringBuilder();
    private int depth;

    private PayloadTree() {}

    static String render(JsonNode root) {
        PayloadTree tree = new PayloadTree();
        tree.append(root);
        return tree.out.toString();
    }

    private void append(JsonNode node) {
        switch (node.getNodeType()) {
            case OBJECT -> appendObject(node);
            case ARRAY -> appendArray(node);
            case STRING -> appendString(node.textValue());
            case NUMBER -> appendNumber(node);
            case BOOLEAN -> out.append(node.booleanValue());
            case NULL -> out.append("null");
            case BINARY, MISSING, POJO -> throw refused("must not hold a node of type " + node.getNodeType());
        }
        if (out.length() > RequestRules.GREATEST_PAYLOAD_CHARS) {
            throw refused(RequestRules.PAYLOAD_SIZE_RULE);
        }
    }

    private void appendObject(JsonNode object) {
        enter();
        out.append('{');
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            appendString(entry.getKey());
            out.append(':');
            append(entry.getValue());
            out.append(entries.hasNext() ? "," : "");
        }
        out.append('}');
        depth--;
    }

    private void appendArray(JsonNode array) {
        enter();
        out.append('[');
        Iterator<JsonNode> elements = array.elements();
        while (elements.hasNext()) {
            append(elements.next());
            out.append(elements.hasNext() ? "," : "");
        }
        out.append(']');
        depth--;
    }

    /** Also ends the walk of a tree that holds itself. */
    private void enter() {
        depth++;
        if (depth > RequestRules.PAYLOAD_DEPTH) {
            throw refused("must be at most " + RequestRules.PAYLOAD_DEPTH + " levels deep");
        }
    }

    private void appendString(String text) {
        if (Surrogates.indexOfLone(text) >= 0) {
            throw refused("must be valid Unicode, but has a string with half a surrogate pair");
        }
        JsonText.appendString(out, text);
    }

    private void appendNumber(JsonNode number) {
        switch (number.numberType()) {
            case INT, LONG -> out.append(number.longValue());
            case BIG_INTEGER -> out.append(number.bigIntegerValue());
            // Never toPlainString: it writes out a billion zeros when asked to.
            case BIG_DECIMAL -> out.append(number.decimalValue());
            case FLOAT -> {
                requireFinite(number.floatValue());
                out.append(NumberOutput.toString(number.floatValue(), true));
            }
            case DOUBLE -> {
                requireFinite(number.doubleValue());
                out.append(NumberOutput.toString(number.doubleValue(), true));
            }
        }
    }

    private static void requireFinite(double value) {
        if (!Double.isFinite(value)) {
            throw refused("must not hold " + value);
        }
    }

    private static InvalidInputException refused(String rule) {
        return new InvalidInputException("payload", rule, null);
    }
}
