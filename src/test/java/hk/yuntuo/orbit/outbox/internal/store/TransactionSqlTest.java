package hk.yuntuo.orbit.outbox.internal.store;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionSqlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "commit work",
                "ROLLBACK",
                "ROLLBACK WORK",
                " \t\nbegin",
                "/* a */ /* b */ START TRANSACTION",
                "-- a\n# b\nTRUNCATE t",
                "/*!COMMIT*/",
                "/*!80000 COMMIT */",
                "CREATE TABLE t (a INT)",
                "DROP TABLE t",
                "ALTER TABLE t ADD b INT",
                "CHECK TABLE t",
                "LOCK TABLES t WRITE",
                "SET autocommit = 1",
                "SET @@session.autocommit=1",
                "SET @a = 1, SESSION autocommit = ON",
                "SET PASSWORD = 'x'",
                "XA START 'x'"
            })
    void whatEndsTheTransactionIsRefused(String sql) {
        assertThrows(IllegalStateException.class, () -> TransactionSql.refuse(sql));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SELECT 1",
                "WITH a AS (SELECT 1) SELECT * FROM a",
                "update t set autocommit = 1",
                "insert into commits values ('COMMIT; */ commit')",
                "/* dynamic native SQL query */ SELECT /*+ MAX_EXECUTION_TIME(1000) */ start FROM gen",
                "/* a */ SELECT '*/ commit' FROM t",
                "SET @mode = 'autocommit'",
                "SET @autocommit = 1",
                "ROLLBACK TO SAVEPOINT a",
                "rollback work to a",
                "SAVEPOINT a",
                "CREATE TEMPORARY TABLE t (a INT)",
                "DROP TEMPORARY TABLE t",
                "starts",
                "{call commit_nothing()}"
            })
    void everythingElsePasses(String sql) {
        assertDoesNotThrow(() -> TransactionSql.refuse(sql));
    }

    @Test
    void aLongTextCostsOnePass() {
        for (String part : new String[] {" ", "\n        ", "/*", "/* a */ ", "-- a\n", "#", "SET ", "*/ "}) {
            String text = part.repeat(1_000_000 / part.length());
            assertTimeout(Duration.ofSeconds(5), () -> TransactionSql.refuse(text), part);
        }
    }
}
