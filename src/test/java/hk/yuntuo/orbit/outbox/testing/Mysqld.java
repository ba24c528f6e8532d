package hk.yuntuo.orbit.outbox.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A {@code mysqld} that runs on this machine, of MySQL 8.4 or later. */
record Mysqld(Path executable, String version) {

    private static final int VERSION_SECONDS = 30;
    private static final Pattern VERSION = Pattern.compile("Ver (?<text>(?<major>\\d+)\\.(?<minor>\\d+)[\\w.+~-]*)");

    static Optional<Mysqld> onPath() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(
                        Stream.of(path.split(File.pathSeparator)).filter(folder -> !folder.isBlank()),
                        Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(folder -> Path.of(folder, "mysqld"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Mysqld::at);
    }

    static Mysqld at(Path executable) {
        String answer = Shell.run(VERSION_SECONDS, List.of(executable.toString(), "--no-defaults", "--version"));
        Matcher version = VERSION.matcher(answer);
        if (!version.find() || answer.contains("MariaDB") || isOld(version)) {
            throw new NoServerException(executable + " is not of MySQL 8.4 or later: " + answer);
        }
        return new Mysqld(executable, version.group("text"));
    }

    private static boolean isOld(Matcher version) {
        int major = Integer.parseInt(version.group("major"));
        int minor = Integer.parseInt(version.group("minor"));
        return major < 8 || major == 8 && minor < 4;
    }

    /** The command with what every run of it needs; the machine's own my.cnf is not read. */
    List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                executable.toString(),
                "--no-defaults",
                // 100 MB by default, the largest part of a data folder.
                "--innodb-redo-log-capacity=67108864",
                // Both would want folders or sockets of the system.
                "--secure-file-priv=NULL",
                "--loose-mysqlx=OFF"));
        if ("root".equals(System.getProperty("user.name"))) {
            // mysqld refuses to run as root unless told so.
            command.add("--user=root");
        }
        command.addAll(List.of(arguments));
        return command;
    }
}
