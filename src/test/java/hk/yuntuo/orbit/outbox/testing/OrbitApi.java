package hk.yuntuo.orbit.outbox.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.Headers;
import hk.yuntuo.orbit.outbox.testing.Grants.Grant;
import hk.yuntuo.orbit.outbox.testing.TaskBook.Acceptance;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The calls of the contract, without HTTP: a request in, an answer out. Thread-safe. */
final class OrbitApi {
    /** A request that has been read. */
    record Request(OrbitCall call, String id, Headers headers, byte[] body) {}

    private static final Pattern KEY = Pattern.compile("[!-~]{1,64}");

    private final Grants grants;
    private final TaskBook book;
    private volatile int maxRequestBytes = 16 * 1024 * 1024;
    private volatile Consumer<Submission> onAccepted = submission -> {};

    OrbitApi(Grants grants, TaskBook book) {
        this.grants = grants;
        this.book = book;
    }

    void maxRequestBytes(int limit) {
        this.maxRequestBytes = limit;
    }

    void onAccepted(Consumer<Submission> hook) {
        this.onAccepted = hook;
    }

    /** Notes the arrival and returns what handles the request, which a fault may never call. */
    Fault.Handling received(Request request) {
        if (request.call() != OrbitCall.SUBMIT) {
            return () -> handled(request, 0);
        }
        String namespaceId =
                grants.find(authorization(request)).map(Grant::namespaceId).orElse(null);
        int number = book.arrived(namespaceId, request.headers().getFirst("Idempotency-Key"), request.body());
        return () -> handled(request, number);
    }

    private Answer handled(Request request, int number) {
        try {
            Grant grant = grants.check(authorization(request), request.call());
            return switch (request.call()) {
                case GET_QUEUE -> queue(grant, request.id());
                case SUBMIT -> submit(grant, request, number);
                case GET_TASK -> Answer.json(200, task(book.find(grant.namespaceId(), request.id())));
                case CANCEL -> Answer.json(200, task(book.cancel(grant.namespaceId(), request.id())));
            };
        } catch (Refusal refusal) {
            Answer answer = refusal.answer();
            if (request.call() == OrbitCall.SUBMIT) {
                boolean conflict = answer.status() == 409;
                book.settled(number, conflict ? SubmissionOutcome.CONFLICT : SubmissionOutcome.REFUSED, null);
            }
            return answer.status() == 401 ? answer.withHeader("WWW-Authenticate", "Bearer") : answer;
        }
    }

    private Answer queue(Grant grant, String queueId) {
        grants.checkQueue(grant, queueId);
        return Answer.json(
                200, Answer.JSON.createObjectNode().put("id", queueId).put("namespace_id", grant.namespaceId()));
    }

    private Answer submit(Grant grant, Request request, int number) {
        String key = checkedKey(request);
        Optional<Acceptance> known = book.known(grant.namespaceId(), key, request.body());
        Acceptance acceptance = known.isPresent() ? known.get() : accept(grant, key, request.body());
        SubmissionOutcome outcome =
                acceptance.deduplicated() ? SubmissionOutcome.DEDUPLICATED : SubmissionOutcome.ACCEPTED;
        onAccepted.accept(book.settled(number, outcome, acceptance.task().taskId()));
        return Answer.json(acceptance.deduplicated() ? 200 : 201, receipt(acceptance));
    }

    private Acceptance accept(Grant grant, String key, byte[] document) {
        String queueId = DocumentRules.queueOf(document);
        grants.checkQueue(grant, queueId);
        return book.accept(grant.namespaceId(), queueId, key, document);
    }

    private String checkedKey(Request request) {
        if (request.body().length > maxRequestBytes) {
            throw new Refusal(413, "body_too_large", "The body is larger than " + maxRequestBytes + " bytes.");
        }
        if (!"application/json".equals(request.headers().getFirst("Content-Type"))) {
            throw new Refusal(415, "unsupported_media_type", "The body must be application/json.");
        }
        List<String> keys = request.headers().getOrDefault("Idempotency-Key", List.of());
        if (keys.size() != 1 || !KEY.matcher(keys.get(0)).matches()) {
            throw new Refusal(400, "invalid_idempotency_key", "The key must be 1 to 64 visible ASCII characters.");
        }
        return keys.get(0);
    }

    private static ObjectNode receipt(Acceptance acceptance) {
        SimulatedTask task = acceptance.task();
        return Answer.JSON
                .createObjectNode()
                .put("task_id", task.taskId())
                .put("namespace_id", task.namespaceId())
                .put("queue_id", task.queueId())
                .put("idempotency_key", task.submissionKey())
                .put("deduplicated", acceptance.deduplicated())
                .put("accepted_at", task.acceptedAt().toString());
    }

    private static ObjectNode task(SimulatedTask task) {
        return Answer.JSON
                .createObjectNode()
                .put("task_id", task.taskId())
                .put("namespace_id", task.namespaceId())
                .put("queue_id", task.queueId())
                .put("idempotency_key", task.submissionKey())
                .put("status", task.status())
                .put("accepted_at", task.acceptedAt().toString());
    }

    private static @Nullable String authorization(Request request) {
        return request.headers().getFirst("Authorization");
    }
}
