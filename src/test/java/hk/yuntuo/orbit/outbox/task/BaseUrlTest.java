package hk.yuntuo.orbit.outbox.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BaseUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:8080",
                "http://127.255.0.9",
                "http://localhost",
                "HTTP://LocalHost:1",
                "http://[::1]:65535/orbit",
                "http://[0:0:0:0:0:0:0:1]",
            })
    void plainHttpToThisMachineIsAllowed(String url) {
        BaseUrl base = BaseUrl.of(URI.create(url), false);
        assertTrue(base.isPlain());
        assertTrue(base.isLoopback());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://orbit.example",
                "http://10.0.0.1",
                "http://128.0.0.1",
                "http://127.0.0.1.example",
                "http://127.example",
                "http://localhost.example",
                "http://mylocalhost",
                "http://0.0.0.0",
                "http://[::]",
                "http://[::2]",
            })
    void plainHttpToOthersNeedsTheOption(String url) {
        refused(url);
        BaseUrl allowed = BaseUrl.of(URI.create(url), true);
        assertTrue(allowed.isPlain());
        assertFalse(allowed.isLoopback());
    }

    @Test
    void httpsIsAllowedAnywhere() {
        assertFalse(BaseUrl.of(URI.create("https://orbit.example"), false).isPlain());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://orbit.example",
                "orbit.example",
                "/v1",
                "https:orbit.example",
                "https:///v1",
                "https://under_score.example",
                "https://user:s3cret@orbit.example",
                "https://user@orbit.example",
                "https://orbit.example?token=s3cret",
                "https://orbit.example/?",
                "https://orbit.example#s3cret",
                "http://127.0.0.256",
                "https://orbit.example:0",
                "https://orbit.example:65536",
            })
    void otherUrlsAreRefusedUnseen(String url) {
        assertFalse(refused(url).getMessage().contains("s3cret"));
    }

    @ParameterizedTest
    @CsvSource({
        "https://orbit.example, https://orbit.example/v1/queues/a",
        "https://orbit.example/, https://orbit.example/v1/queues/a",
        "https://orbit.example//, https://orbit.example/v1/queues/a",
        "https://orbit.example:8443/base/path/, https://orbit.example:8443/base/path/v1/queues/a",
        "https://orbit.example/b%2Fc, https://orbit.example/b%2Fc/v1/queues/a",
        "http://[::1]:80/x, http://[::1]:80/x/v1/queues/a",
    })
    void aBasePathIsKept(String base, String expected) {
        assertEquals(URI.create(expected), BaseUrl.of(URI.create(base), false).resolve("v1", "queues", "a"));
    }

    @ParameterizedTest
    @CsvSource({
        "a.b_c-d~e, a.b_c-d~e",
        "a:b, a%3Ab",
        "a/b?c#d, a%2Fb%3Fc%23d",
        "a%2Fb, a%252Fb",
        "a b+c, a%20b%2Bc",
        "., %2E",
        ".., %2E%2E",
        "..., ...",
        "\u00e4\u20ac, %C3%A4%E2%82%AC",
    })
    void segmentsArePercentEncoded(String segment, String expected) {
        URI resolved = BaseUrl.of(URI.create("https://orbit.example"), false).resolve("v1", segment);
        assertEquals("https://orbit.example/v1/" + expected, resolved.toString());
    }

    private static InvalidInputException refused(String url) {
        InvalidInputException refused =
                assertThrows(InvalidInputException.class, () -> BaseUrl.of(URI.create(url), false));
        assertEquals("baseUrl", refused.field());
        return refused;
    }
}
