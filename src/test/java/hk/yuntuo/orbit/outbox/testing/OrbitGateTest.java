package hk.yuntuo.orbit.outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The gate as a bare socket sees it: a reset is an error, a close is the end of the stream. */
class OrbitGateTest extends SimulatorTest {
    private OrbitGate gate;

    @BeforeEach
    void before() {
        gate = OrbitGate.before(simulator);
    }

    @AfterEach
    void after() {
        gate.close();
    }

    @Test
    void whatIsNotArmedPasses() throws Exception {
        assertTrue(submitted().startsWith("HTTP/1.1 201 "));
        assertOutcomes(SubmissionOutcome.ACCEPTED);
    }

    @Test
    void aResetBeforeTheSubmissionLeavesNothingAtThePlatform() throws Exception {
        gate.resetBeforeSubmission();
        assertThrows(SocketException.class, this::submitted);
        assertOutcomes();
        assertEquals(0, gate.remaining());
        assertTrue(submitted().startsWith("HTTP/1.1 201 "));
    }

    @Test
    void aResetAfterTheSubmissionComesWithItsTask() throws Exception {
        gate.resetAfterSubmission();
        assertThrows(SocketException.class, this::submitted);
        assertOutcomes(SubmissionOutcome.ACCEPTED);
        assertTrue(submitted().startsWith("HTTP/1.1 200 "));
    }

    @Test
    void anAnswerIsGivenByteByByteAndNothingPasses() throws Exception {
        gate.answerSubmission("no HTTP");
        assertEquals("no HTTP", submitted());
        assertOutcomes();
    }

    @Test
    void aGateThatIsShutResetsOpenConnectionsAndNewOnes() throws Exception {
        try (Socket open = connected()) {
            open.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertEquals('H', open.getInputStream().read());
            gate.shut();
            assertThrows(SocketException.class, () -> open.getInputStream().readAllBytes());
        }
        assertThrows(SocketException.class, this::submitted);
        gate.open();
        assertTrue(submitted().startsWith("HTTP/1.1 201 "));
    }

    private Socket connected() throws IOException {
        URI url = gate.url();
        return new Socket(url.getHost(), url.getPort());
    }

    /** All that comes back, up to the end of the connection. */
    private String submitted() throws IOException {
        try (Socket socket = connected()) {
            String request =
                    "POST /v1/tasks HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " + all.token()
                            + "\r\nIdempotency-Key: key-1\r\nContent-Type: application/json\r\nContent-Length: "
                            + DOCUMENT.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + DOCUMENT;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
