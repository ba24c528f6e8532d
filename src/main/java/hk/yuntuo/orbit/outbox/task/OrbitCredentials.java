package hk.yuntuo.orbit.outbox.task;

import hk.yuntuo.orbit.outbox.model.Identifiers;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the platform knows a sender by: a bearer token, and the one namespace and queue it is good for. The token never appears in
 * {@link #toString()} nor in any exception raised here. Immutable, thread-safe.
 *
 * @param token the bearer token, a secret: 1 to 4096 visible ASCII characters (0x21 to 0x7e), so that it is safe in a header
 * @param namespaceId the namespace, in the form of {@link Identifiers}
 * @param queueId the queue, in the form of {@link Identifiers}
 */
public record OrbitCredentials(String token, String namespaceId, String queueId) {
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,4096}");

    /**
     * Checks all three.
     *
     * @param token the bearer token
     * @param namespaceId the namespace
     * @param queueId the queue
     * @throws InvalidInputException if one is null or breaks its rule; it names the field and never shows the token
     */
    public OrbitCredentials {
        if (token == null || !TOKEN.matcher(token).matches()) {
            throw new InvalidInputException("token", "must be 1 to 4096 visible ASCII characters", null);
        }
        Identifiers.namespaceId(namespaceId);
        Identifiers.queueId(queueId);
    }

    /**
     * Reads a credentials file: one JSON object in UTF-8, at most 64 KiB, with the text fields {@code token}, {@code namespace_id} and
     * {@code queue_id}. Repeated keys and anything after the object are refused. Other fields are ignored, so a platform may add some.
     * On a POSIX file system nobody but the owner may have any permission on the file ({@code chmod 600}); a symbolic link is followed
     * and the permissions of its target count.
     *
     * @param file the file
     * @return the credentials
     * @throws InvalidInputException if the file cannot be read or breaks a rule; it never shows the contents
     */
    public static OrbitCredentials fromFile(Path file) {
        CredentialFields stored = CredentialsFile.read(file);
        return new OrbitCredentials(
                CredentialFields.found("token", stored.token(), "must be in the credentials file"),
                CredentialFields.found(
                        "namespaceId", stored.namespaceId(), "must be in the credentials file, as namespace_id"),
                CredentialFields.found("queueId", stored.queueId(), "must be in the credentials file, as queue_id"));
    }

    /**
     * Reads the credentials from environment variables. {@code ORBIT_CREDENTIALS_FILE} names a file as in {@link #fromFile};
     * {@code ORBIT_TOKEN}, {@code ORBIT_NAMESPACE_ID} and {@code ORBIT_QUEUE_ID} each take precedence over the file's field, which may
     * then be missing. With all three set, the file is not opened. A variable that is set to the empty text counts as not set; nothing
     * is trimmed.
     *
     * @param environment the variables, as from {@link System#getenv()}
     * @return the credentials
     * @throws InvalidInputException if a field is nowhere, or the file or a value breaks a rule; it never shows the token
     */
    public static OrbitCredentials fromEnvironment(Map<String, String> environment) {
        CredentialFields fields = CredentialFields.fromEnvironment(environment, true);
        return new OrbitCredentials(
                CredentialFields.found(
                        "token",
                        fields.token(),
                        "must be in ORBIT_TOKEN or in the file that ORBIT_CREDENTIALS_FILE names"),
                fields.requireNamespaceId(),
                fields.requireQueueId());
    }

    /**
     * Writes the credentials to a new file that {@link #fromFile} reads. The file must not be there yet, not even as a symbolic link:
     * it is created in one step, on a POSIX file system with mode 0600 from the start, so at no time can others read it. If writing it
     * fails, it is removed. Its directory must be there.
     *
     * @param file the file to create
     * @throws InvalidInputException if the file is already there or cannot be written
     */
    public void writeTo(Path file) {
        CredentialsFile.create(file, this);
    }

    /** Leaves the token out. */
    @Override
    public String toString() {
        return "OrbitCredentials[namespaceId=" + namespaceId + ", queueId=" + queueId + "]";
    }
}
