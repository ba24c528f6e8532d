package hk.yuntuo.orbit.examples.taskoutbox.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hk.yuntuo.orbit.outbox.model.AcceptanceException;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.model.OutboxStorageException;
import hk.yuntuo.orbit.outbox.model.RetryableTransactionException;
import hk.yuntuo.orbit.outbox.model.ShutdownTimeoutException;
import hk.yuntuo.orbit.outbox.task.TaskPlatformException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FailureTest {
    static Stream<Arguments> everyKindHasItsCode() {
        return Stream.of(
                Arguments.of(new InvalidInputException("x", "must be y", "z"), 2),
                Arguments.of(new OutboxConflictException("m", null, null), 3),
                Arguments.of(new CommandFailedException(ExitStatus.NOT_FOUND, "m", null), 4),
                Arguments.of(new CommitUnconfirmedException("m", null, new SQLException("x", "08S01")), 5),
                Arguments.of(new OutboxStorageException("m", null, null), 6),
                Arguments.of(new IllegalStateException(new SQLException("x", "42S02", 1146)), 6),
                Arguments.of(new RetryableTransactionException("m", null, new SQLException("x", "40001", 1213)), 7),
                Arguments.of(new CommandFailedException(ExitStatus.REVIEW, "m", null), 8),
                Arguments.of(TaskPlatformException.unauthorized("m"), 9),
                Arguments.of(new CommandFailedException(ExitStatus.SCHEMA_EXISTS, "m", null), 10),
                Arguments.of(new ShutdownTimeoutException("m", null, null), 11),
                Arguments.of(new CommandFailedException(ExitStatus.TIME_LIMIT, "m", null), 12),
                Arguments.of(new AcceptanceException("m", null, null), 1),
                Arguments.of(new IllegalStateException("m"), 1),
                Arguments.of(new StackOverflowError(), 1));
    }

    @ParameterizedTest
    @MethodSource
    void everyKindHasItsCode(Throwable error, int code) {
        assertEquals(code, Failure.of(error).status().code());
    }

    @Test
    void codesDiffer() {
        assertEquals(
                ExitStatus.values().length,
                Arrays.stream(ExitStatus.values())
                        .mapToInt(ExitStatus::code)
                        .distinct()
                        .count());
    }

    @Test
    void isOneLine() {
        Failure failure =
                Failure.of(new CommandFailedException(ExitStatus.STORAGE, "a\n  b\tc\u0000\u001b[1md\r\n", null));
        assertEquals("error=storage a b c [1md", failure.toString());
    }

    @Test
    void doesNotRepeatWhatMySqlQuotes() {
        SQLException quoting = new SQLException("Duplicate entry 'secret'", "23000", 1062);
        String line = Failure.of(new IllegalStateException(quoting)).toString();
        assertFalse(line.contains("secret"), line);
        assertEquals("error=storage The business database refused (MySQL error 1062, SQLSTATE 23000).", line);
    }

    @Test
    void looksBehindThePoolForTheCause() {
        SQLException denied = new SQLException("Access denied", "28000", 1045);
        SQLException pool = new SQLTransientConnectionException("sender - Connection is not available", denied);
        assertEquals(
                "error=storage The business database refused (MySQL error 1045, SQLSTATE 28000).",
                Failure.of(pool).toString());
    }

    @Test
    void saysWhenTheDatabaseCannotBeReached() {
        assertEquals(
                "error=storage The business database cannot be reached (MySQL error 0, SQLSTATE 08S01).",
                Failure.of(new SQLException("Communications link failure", "08S01"))
                        .toString());
    }
}
