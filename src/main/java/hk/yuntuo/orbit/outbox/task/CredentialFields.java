package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a credentials file and the environment hold, before it is known to be complete; a field that is nowhere is null. */
record CredentialFields(
        @Nullable String token,
        @Nullable String namespaceId,
        @Nullable String queueId) {

    /** The variables, and for what they lack the file; the file is not opened if they lack nothing that is needed. */
    static CredentialFields fromEnvironment(Map<String, String> environment, boolean tokenNeeded) {
        CredentialFields set = new CredentialFields(
                variable(environment, "ORBIT_TOKEN"),
                variable(environment, "ORBIT_NAMESPACE_ID"),
                variable(environment, "ORBIT_QUEUE_ID"));
        String file = variable(environment, "ORBIT_CREDENTIALS_FILE");
        boolean complete = set.namespaceId != null && set.queueId != null && (set.token != null || !tokenNeeded);
        return file == null || complete ? set : set.orElse(CredentialsFile.read(CredentialsFile.path(file)));
    }

    String requireNamespaceId() {
        return found(
                "namespaceId",
                namespaceId,
                "must be in ORBIT_NAMESPACE_ID or in the file that ORBIT_CREDENTIALS_FILE names");
    }

    String requireQueueId() {
        return found("queueId", queueId, "must be in ORBIT_QUEUE_ID or in the file that ORBIT_CREDENTIALS_FILE names");
    }

    static String found(String field, @Nullable String value, String rule) {
        if (value == null) {
            throw new InvalidInputException(field, rule, null);
        }
        return value;
    }

    private CredentialFields orElse(CredentialFields stored) {
        return new CredentialFields(
                token == null ? stored.token : token,
                namespaceId == null ? stored.namespaceId : namespaceId,
                queueId == null ? stored.queueId : queueId);
    }

    private static @Nullable String variable(Map<String, String> environment, String name) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** Leaves the token out. */
    @Override
    public String toString() {
        return "CredentialFields[namespaceId=" + namespaceId + ", queueId=" + queueId + "]";
    }
}
