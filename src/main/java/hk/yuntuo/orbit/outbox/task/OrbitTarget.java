package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.util.Map;

/**
 * Where commands go. It is what enqueueing needs to know of the platform: only the sender needs a token. Immutable, thread-safe.
 *
 * @param namespaceId the namespace, in the form of {@link Identifiers}
 * @param queueId the queue, in the form of {@link Identifiers}
 */
public record OrbitTarget(String namespaceId, String queueId) {
    /**
     * Checks both.
     *
     * @param namespaceId the namespace
     * @param queueId the queue
     * @throws InvalidInputException if one is null or breaks its rule
     */
    public OrbitTarget {
        Identifiers.namespaceId(namespaceId);
        Identifiers.queueId(queueId);
    }

    /**
     * Reads the target from environment variables, by the rules of {@link OrbitCredentials#fromEnvironment}, without looking for a
     * token: {@code ORBIT_NAMESPACE_ID} and {@code ORBIT_QUEUE_ID}, and for what they lack the file that
     * {@code ORBIT_CREDENTIALS_FILE} names.
     *
     * @param environment the variables, as from {@link System#getenv()}
     * @return the target
     * @throws InvalidInputException if a field is nowhere, or the file or a value breaks a rule
     */
    public static OrbitTarget fromEnvironment(Map<String, String> environment) {
        CredentialFields fields = CredentialFields.fromEnvironment(environment, false);
        return new OrbitTarget(fields.requireNamespaceId(), fields.requireQueueId());
    }
}
