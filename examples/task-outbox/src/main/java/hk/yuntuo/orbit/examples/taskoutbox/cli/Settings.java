package hk.yuntuo.orbit.examples.taskoutbox.cli;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.task.HttpTaskPlatform;
import hk.yuntuo.orbit.outbox.task.OrbitTarget;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import java.util.Map;

/** The settings, from environment variables. Each is looked at only when a command needs it. */
final class Settings {
    private final Map<String, String> environment;

    Settings(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /** The business database. */
    DatabaseAddress database() {
        String url = environment.getOrDefault(DatabaseAddress.URL, "");
        if (!url.startsWith("jdbc:mysql:")) {
            // The text itself is not shown: it may hold a password.
            throw new InvalidInputException(DatabaseAddress.URL, "must be a jdbc:mysql: URL with a schema", null);
        }
        return new DatabaseAddress(
                url,
                environment.getOrDefault(DatabaseAddress.USER, ""),
                environment.getOrDefault(DatabaseAddress.PASSWORD, ""));
    }

    /** The namespace and queue. No token is needed for them. */
    OrbitTarget target() {
        return OrbitTarget.fromEnvironment(environment);
    }

    /** The platform, with the whole credential. */
    TaskPlatform platform() {
        return HttpTaskPlatform.fromEnvironment(environment);
    }
}
