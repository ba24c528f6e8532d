package hk.yuntuo.orbit.outbox.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The file that holds a credential: who may read it, how large it may be, what is in it. Errors never hold its contents. */
final class CredentialsFile {
    private static final int MAX_BYTES = 64 * 1024;
    private static final String FIELD = "credentialsFile";
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.copyOf(EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
    private static final Set<PosixFilePermission> OTHERS = Set.copyOf(PosixFilePermissions.fromString("---rwxrwx"));

    private CredentialsFile() {}

    static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException notAPath) {
            throw new InvalidInputException("ORBIT_CREDENTIALS_FILE", "must be the path of a file", text);
        }
    }

    static CredentialFields read(Path file) {
        byte[] bytes;
        try {
            requireOwnersFile(file);
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(MAX_BYTES + 1);
            }
        } catch (IOException unreadable) {
            throw refused("cannot be read (" + reason(unreadable) + ")", file);
        }
        if (bytes.length > MAX_BYTES) {
            throw refused("must be at most 64 KiB", file);
        }
        ObjectNode object = StrictJson.text(bytes)
                .flatMap(StrictJson::object)
                .orElseThrow(() ->
                        refused("must hold one JSON object in UTF-8, with no repeated key and nothing after it", file));
        return new CredentialFields(text(object, "token"), text(object, "namespace_id"), text(object, "queue_id"));
    }

    static void create(Path file, OrbitCredentials credentials) {
        byte[] json = StrictJson.MAPPER
                .createObjectNode()
                .put("token", credentials.token())
                .put("namespace_id", credentials.namespaceId())
                .put("queue_id", credentials.queueId())
                .toString()
                .concat("\n")
                .getBytes(StandardCharsets.UTF_8);
        Set<StandardOpenOption> onlyNew = EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        boolean created = false;
        try (OutputStream out = Channels.newOutputStream(Files.newByteChannel(file, onlyNew, modeFromTheStart(file)))) {
            created = true;
            out.write(json);
        } catch (FileAlreadyExistsException there) {
            throw refused("must not be there yet: it is never overwritten", file);
        } catch (IOException unwritable) {
            if (created) {
                remove(file);
            }
            throw refused("cannot be written (" + reason(unwritable) + ")", file);
        }
    }

    private static void requireOwnersFile(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw refused("must be a regular file", file);
        }
        PosixFileAttributeView posix = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (posix == null) {
            return;
        }
        for (PosixFilePermission permission : posix.readAttributes().permissions()) {
            if (OTHERS.contains(permission)) {
                throw refused("must be closed to group and others: run chmod 600 on it", file);
            }
        }
    }

    private static @Nullable String text(ObjectNode object, String name) {
        JsonNode value = object.get(name);
        if (value == null) {
            return null;
        }
        if (!value.isTextual()) {
            throw new InvalidInputException(name, "must be a text in the credentials file", null);
        }
        return value.textValue();
    }

    private static FileAttribute<?>[] modeFromTheStart(Path file) {
        boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException left) {
            // The file is closed to others and too short to be read; the first error is the one to report.
        }
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException
                ? "it or its folder does not exist"
                : e.getClass().getSimpleName();
    }

    private static InvalidInputException refused(String rule, Path file) {
        return new InvalidInputException(FIELD, rule, file);
    }
}
