package hk.yuntuo.orbit.outbox.testing;

/** One of the ways to a server is not open on this machine; the message says what is missing. */
final class NoServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoServerException(String message) {
        super(message);
    }
}
