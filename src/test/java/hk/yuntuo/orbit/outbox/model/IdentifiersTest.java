package hk.yuntuo.orbit.outbox.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentifiersTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "Z9",
                "team.a_b:c-d",
                "0123456789012345678901234567890123456789012345678901234567890123",
            })
    void goodIdsComeBackUnchanged(String id) {
        assertEquals(id, Identifiers.namespaceId(id));
        assertEquals(id, Identifiers.queueId(id));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                " a",
                "a ",
                "a/b",
                "a\n",
                "\u00e4",
                "01234567890123456789012345678901234567890123456789012345678901234",
            })
    void otherFormsAreRefused(String id) {
        assertThrows(InvalidInputException.class, () -> Identifiers.namespaceId(id));
        assertThrows(InvalidInputException.class, () -> Identifiers.queueId(id));
    }

    @Test
    void theErrorNamesTheField() {
        assertEquals(
                "namespaceId",
                assertThrows(InvalidInputException.class, () -> Identifiers.namespaceId("a b"))
                        .field());
        assertEquals(
                "queueId",
                assertThrows(InvalidInputException.class, () -> Identifiers.queueId("a b"))
                        .field());
    }
}
