package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcAddressTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://db, jdbc:mysql://db:3306/s",
        "jdbc:mysql://db/, jdbc:mysql://db:3306/s",
        "jdbc:mysql://db:33/other, jdbc:mysql://db:33/s",
        "jdbc:mysql://db:33?a=b&c=d, jdbc:mysql://db:33/s?a=b&c=d",
        "jdbc:mysql://10.0.0.1/other?a=/b, jdbc:mysql://10.0.0.1:3306/s?a=/b",
        "jdbc:mysql://[::1]:33/, jdbc:mysql://[::1]:33/s"
    })
    void theSchemaIsReplacedAndTheOptionsAreKept(String given, String expected) {
        assertEquals(expected, JdbcAddress.parse(given).url("s"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "jdbc:mysql:db",
                "jdbc:mariadb://db/",
                "jdbc:mysql://one,two/",
                "jdbc:mysql://user:secret@db/",
                "jdbc:mysql://db:port/"
            })
    void otherFormsAreRefusedWithoutShowingThem(String url) {
        String message = assertThrows(IllegalArgumentException.class, () -> JdbcAddress.parse(url))
                .getMessage();

        assertFalse(message.contains("secret"), message);
    }
}
