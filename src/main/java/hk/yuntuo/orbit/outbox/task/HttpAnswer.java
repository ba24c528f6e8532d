package hk.yuntuo.orbit.outbox.task;

import java.net.http.HttpHeaders;

/**
 * A complete answer of the platform, not judged yet.
 *
 * @param status the status code
 * @param headers the headers
 * @param body the body; empty if it was too large
 */
record HttpAnswer(int status, HttpHeaders headers, BoundedBody.Content body) {
    /** Leaves headers and body out. */
    @Override
    public String toString() {
        return "HttpAnswer[status=" + status + "]";
    }
}
