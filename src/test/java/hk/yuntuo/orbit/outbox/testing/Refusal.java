package hk.yuntuo.orbit.outbox.testing;

/** The simulated platform refuses a request; becomes the answer {@code {code, message}}. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    Refusal(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    Answer answer() {
        return Answer.error(status, code, getMessage());
    }
}
