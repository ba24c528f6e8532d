package hk.yuntuo.orbit.outbox.testing;

import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.task.OrbitCredentials;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which queues there are, and which token may do what. Thread-safe. */
final class Grants {
    /** What a token is good for. */
    record Grant(String namespaceId, String queueId, Set<OrbitScope> scopes) {}

    private record QueueName(String namespaceId, String queueId) {}

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String SCHEME = "Bearer ";

    private final Map<String, Grant> grants = new ConcurrentHashMap<>();
    private final Set<QueueName> queues = ConcurrentHashMap.newKeySet();

    static String newToken() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return "orbit_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    void add(OrbitCredentials credentials, OrbitScope... scopes) {
        addQueue(credentials.namespaceId(), credentials.queueId());
        grants.put(credentials.token(), new Grant(credentials.namespaceId(), credentials.queueId(), Set.of(scopes)));
    }

    void addQueue(String namespaceId, String queueId) {
        queues.add(new QueueName(Identifiers.namespaceId(namespaceId), Identifiers.queueId(queueId)));
    }

    void revoke(OrbitCredentials credentials) {
        grants.remove(credentials.token());
    }

    Optional<Grant> find(@Nullable String authorization) {
        return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? Optional.ofNullable(grants.get(authorization.substring(SCHEME.length())))
                : Optional.empty();
    }

    /** The grant, if it allows the call. */
    Grant check(@Nullable String authorization, OrbitCall call) {
        Grant grant = find(authorization)
                .orElseThrow(() -> new Refusal(401, "unauthenticated", "The token is missing or unknown."));
        if (!grant.scopes().contains(call.scope())) {
            throw new Refusal(
                    403,
                    "scope_missing",
                    "The credential lacks the scope " + call.scope().text() + ".");
        }
        return grant;
    }

    /** Checks that the queue exists in the grant's namespace and is the grant's own. */
    void checkQueue(Grant grant, String queueId) {
        if (!queues.contains(new QueueName(grant.namespaceId(), queueId))) {
            throw new Refusal(404, "queue_not_found", "There is no such queue in the credential's namespace.");
        }
        if (!grant.queueId().equals(queueId)) {
            throw new Refusal(403, "queue_not_allowed", "The credential is for another queue.");
        }
    }
}
