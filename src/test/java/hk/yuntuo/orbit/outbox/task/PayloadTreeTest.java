package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTreeTest {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final JsonMapper EXACT = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    static Stream<Arguments> numbers() {
        return Stream.of(
                arguments(NODES.numberNode((short) -7), "-7"),
                arguments(NODES.numberNode(Integer.MIN_VALUE), "-2147483648"),
                arguments(NODES.numberNode(9007199254740993L), "9007199254740993"),
                arguments(NODES.numberNode(Long.MIN_VALUE), "-9223372036854775808"),
                arguments(NODES.numberNode(BigInteger.TEN.pow(30)), "1" + "0".repeat(30)),
                arguments(decimal("1.10"), "1.10"),
                arguments(decimal("-0.00"), "0.00"),
                arguments(decimal("1E+3"), "1E+3"),
                arguments(decimal("1E+308"), "1E+308"),
                arguments(decimal("1E-2147483647"), "1E-2147483647"),
                arguments(decimal("0.1000000000000000055511151231257827"), "0.1000000000000000055511151231257827"),
                arguments(NODES.numberNode(0.1f), "0.1"),
                arguments(NODES.numberNode(0.1d), "0.1"),
                arguments(NODES.numberNode(1d), "1.0"),
                arguments(NODES.numberNode(-0d), "-0.0"),
                arguments(NODES.numberNode(Double.MAX_VALUE), "1.7976931348623157E308"),
                arguments(NODES.numberNode(Double.MIN_VALUE), "4.9E-324"),
                // Java 17 itself would say 2.2E-322 and 2.0000000000000002E23 or the like where Java 19 and later do
                // not.
                arguments(NODES.numberNode(2e23), "2.0E23"),
                arguments(NODES.numberNode(2.0E-3f), "0.002"));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(NODES.numberNode(Double.NaN), "must not hold NaN"),
                arguments(NODES.numberNode(Double.POSITIVE_INFINITY), "must not hold Infinity"),
                arguments(NODES.numberNode(Double.NEGATIVE_INFINITY), "must not hold -Infinity"),
                arguments(NODES.numberNode(Float.NaN), "must not hold NaN"),
                arguments(NODES.numberNode(Float.NEGATIVE_INFINITY), "must not hold -Infinity"),
                arguments(NODES.binaryNode(new byte[] {1}), "must not hold a node of type BINARY"),
                arguments(NODES.pojoNode(LocalDate.EPOCH), "must not hold a node of type POJO"),
                arguments(NODES.pojoNode("text"), "must not hold a node of type POJO"),
                arguments(NODES.rawValueNode(new RawValue("1")), "must not hold a node of type POJO"),
                arguments(MissingNode.getInstance(), "must not hold a node of type MISSING"),
                arguments(
                        NODES.textNode("\ud83d"), "must be valid Unicode, but has a string with half a surrogate pair"),
                arguments(
                        NODES.textNode("\ude00\ud83d"),
                        "must be valid Unicode, but has a string with half a surrogate pair"));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void numbersKeepTheirDigits(JsonNode number, String text) {
        assertEquals(text, PayloadTree.render(number));
        assertEquals(text, payload(number));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesByNameWhatIsNotJson(JsonNode node, String rule) {
        assertEquals(rule, refusal(node));
        assertEquals(rule, refusal(NODES.arrayNode().add(1).add(node)));
        assertEquals(rule, refusal(NODES.objectNode().set("a", node)));
    }

    @Test
    void refusesHalfAPairInAKey() {
        assertEquals(
                "must be valid Unicode, but has a string with half a surrogate pair",
                refusal(NODES.objectNode().put("\ud83d", 1)));
    }

    @Test
    void refusesNumbersThatMySqlRefuses() {
        String rule = "must hold no number outside a double's range, as MySQL reads it (line 1, column 1)";
        assertEquals(rule, refusal(decimal("1E+309")));
        assertEquals(rule, refusal(decimal("0E+309")));
        assertEquals(rule, refusal(decimal("1E+2147483647")));
        assertEquals(rule, refusal(NODES.numberNode(BigInteger.TEN.pow(309))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "true",
                "\"\"",
                "{\"b\":1,\"a\":[1.10,{},[],false,null,\"x\"],\"\":{\"b\":-1E+3}}",
                "\"\\\"\\\\/\\u0000\\u000a\\u001f\u007f\u2028\u4e2d\ud83d\ude00\""
            })
    void writesCompactlyInTheTreesOrder(String json) throws JsonProcessingException {
        assertEquals(json, PayloadTree.render(EXACT.readTree(json)));
    }

    @Test
    void endsAtATreeThatHoldsItself() {
        ArrayNode array = NODES.arrayNode();
        array.add(array).add(array);
        assertEquals("must be at most 99 levels deep", refusal(array));
    }

    @Test
    void endsAtATreeThatUnfoldsWithoutEnd() {
        ObjectNode tree = NODES.objectNode().put("leaf", true);
        for (int i = 0; i < 60; i++) {
            tree = NODES.objectNode().<ObjectNode>set("a", tree).set("b", tree);
        }
        assertEquals("must be at most 16777215 bytes", refusal(tree));
    }

    private static JsonNode decimal(String text) {
        return DecimalNode.valueOf(new BigDecimal(text));
    }

    private static String refusal(JsonNode tree) {
        InvalidInputException refused = assertThrows(InvalidInputException.class, () -> payload(tree));
        assertEquals("payload", refused.field());
        return refused.rule();
    }

    private static String payload(JsonNode tree) {
        return SubmitTaskRequest.builder()
                .queueId("q")
                .handler("h")
                .handlerVersion("1")
                .payloadVersion("1")
                .payload(tree)
                .build()
                .payload();
    }
}
