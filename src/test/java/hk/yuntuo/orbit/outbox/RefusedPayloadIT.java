package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What cannot be stored and sent byte for byte is refused by name, before any statement. */
class RefusedPayloadIT {
    private static TestDatabase database;
    private static EntityManagerFactory factory;
    private static Outbox outbox;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("refused");
        factory = database.unit();
        outbox = Requests.outbox(factory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    static Stream<Arguments> refusedPayloads() {
        String unicode = "must be valid Unicode";
        String json = "must be one strict JSON value";
        String number = "must hold no number outside a double's range";
        return Stream.of(
                Arguments.of("a lone high surrogate", "payload", "\"\ud83d\"", unicode),
                Arguments.of("a lone low surrogate", "payload", "\"a\ude00b\"", unicode),
                Arguments.of("a pair in the wrong order", "payload", "\"\ude00\ud83d\"", unicode),
                Arguments.of("a lone surrogate in a key", "payload", "{\"\ud83d\":1}", unicode),
                Arguments.of("an escaped lone high surrogate", "payload", "\"\\ud83d\"", unicode),
                Arguments.of("an escaped lone low surrogate", "payload", "[\"\\uDE00 \"]", unicode),
                // Refused by the parser itself, which says less.
                Arguments.of("an escaped lone surrogate in a key", "payload", "{\"\\ud800\":1}", "must be"),
                Arguments.of("half escaped, half raw", "payload", "\"\\ud83d\ude00\"", unicode),
                Arguments.of("nothing", "payload", "", json),
                Arguments.of("an open object", "payload", "{\"a\":1", json),
                Arguments.of("two values", "payload", "1 2", json),
                Arguments.of("a comma too many", "payload", "[1,]", json),
                Arguments.of("single quotes", "payload", "{'a':1}", json),
                Arguments.of("a comment", "payload", "1 // one", json),
                Arguments.of("a raw control character", "payload", "\"\u0000\"", json),
                Arguments.of("a leading zero", "payload", "01", json),
                Arguments.of("not a number", "payload", "NaN", json),
                Arguments.of("infinity", "payload", "[-Infinity]", json),
                Arguments.of("a byte order mark", "payload", "\ufeff1", json),
                Arguments.of("a repeated key", "payload", "{\"a\":1,\"a\":1}", "must not repeat a key"),
                Arguments.of(
                        "a key repeated as an escape", "payload", "[{\"a\":1,\"\\u0061\":2}]", "must not repeat a key"),
                Arguments.of("1e400", "payload", "1e400", number),
                Arguments.of("-1e400 deep inside", "payload", "{\"a\":[[-1E+400]]}", number),
                Arguments.of("an integer of 400 digits", "payload", "1".repeat(400), number),
                Arguments.of(
                        "100 levels, the document's own makes 101",
                        "payload",
                        "[".repeat(100) + "]".repeat(100),
                        "must be at most 99 levels"),
                Arguments.of(
                        "100 levels of objects",
                        "payload",
                        "{\"a\":".repeat(100) + "1" + "}".repeat(100),
                        "must be at most 99 levels"),
                Arguments.of(
                        "a document beyond 1 MiB",
                        "request",
                        "\"" + "x".repeat(1_048_576) + "\"",
                        "must be at most 1048576 bytes as a frozen document"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedPayloads")
    void aPayloadThatCannotBeKeptIsRefusedByNameBeforeAnyStatement(
            String what, String field, String payload, String rule) {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            long before = questions(em);
            InvalidInputException e =
                    assertThrows(InvalidInputException.class, () -> outbox.enqueue(em, id, Requests.of(payload)));

            assertEquals(before + 1, questions(em));
            assertEquals(field, e.field());
            assertTrue(e.rule().startsWith(rule), e.rule());
            assertFalse(em.getTransaction().getRollbackOnly());
            em.getTransaction().rollback();
        }
    }

    @Test
    void aTransactionGoesOnAfterARefusalAndTheCounterDoesCount() {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            assertThrows(InvalidInputException.class, () -> outbox.enqueue(em, id, Requests.of("{")));
            long before = questions(em);
            assertEquals(EnqueueResult.INSERTED, outbox.enqueue(em, id, Requests.of("{}")));
            assertEquals(before + 2, questions(em));
            em.getTransaction().rollback();
        }
    }

    /** The statements this session's connection has sent, this look included. */
    private static long questions(EntityManager em) {
        String row = em.unwrap(Session.class)
                .doReturningWork(connection -> TestDatabase.rows(connection, "SHOW SESSION STATUS LIKE 'Questions'"))
                .get(0);
        return Long.parseLong(row.substring(row.indexOf('|') + 1));
    }
}
