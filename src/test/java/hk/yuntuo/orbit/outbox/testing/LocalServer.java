package hk.yuntuo.orbit.outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server process of this JVM's own, on a fresh copy of an initialised data folder. */
final class LocalServer {

    private static final String HOST = "127.0.0.1";
    private static final int PORT_TRIES = 3;
    private static final long INITIALISE_SECONDS = 300;
    private static final long READY_SECONDS = 60;
    private static final long STOP_SECONDS = 10;
    private static final long POLL_MILLIS = 20;
    private static final int LOG_LINES = 20;

    /** In the place of a template: the data is there, and stays. */
    private static final String KEPT_DATA = "-";

    private final RunFolder folder;
    private final Process process;
    /** It also keeps the process's input reachable, which would be closed, and so end the server, otherwise. */
    private final Thread hook = new Thread(this::stop, "mysqld-stop");

    private LocalServer(RunFolder folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    /** Starts a server that accepts connections and ends with this JVM. */
    static MySqlAccess start(Mysqld mysqld, TestCache cache) {
        Path template = template(mysqld, cache);
        for (int attempt = 1; ; attempt++) {
            try {
                MySqlAccess access = newAccess();
                launch(mysqld, template.toString(), cache.newRunFolder(), access);
                return access;
            } catch (PortTakenException e) {
                if (attempt == PORT_TRIES) {
                    throw e;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while " + mysqld.executable() + " started", e);
            }
        }
    }

    /** The data folder of a server that has never run. */
    static Path template(Mysqld mysqld, TestCache cache) {
        return cache.folder(
                "template-" + mysqld.version(),
                part -> Shell.run(INITIALISE_SECONDS, mysqld.command("--initialize-insecure", "--datadir=" + part)));
    }

    /** A free port of this machine, and a new password. */
    static MySqlAccess newAccess() throws IOException {
        return new MySqlAccess(JdbcAddress.plain(HOST, freePort()), "root", RandomHex.bytes(16));
    }

    /** Starts a server on the data that lies in the folder and stays there. */
    static LocalServer launch(Mysqld mysqld, RunFolder folder, MySqlAccess access)
            throws IOException, InterruptedException {
        return launch(mysqld, KEPT_DATA, folder, access);
    }

    private static LocalServer launch(Mysqld mysqld, String template, RunFolder folder, MySqlAccess access)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(mysqld, template, folder.path(), access))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(logOf(folder).toFile())
                .start();
        LocalServer server = new LocalServer(folder, process);
        Runtime.getRuntime().addShutdownHook(server.hook);
        try {
            server.awaitReady(access);
            return server;
        } catch (RuntimeException | InterruptedException e) {
            Runtime.getRuntime().removeShutdownHook(server.hook);
            server.stop();
            throw e;
        }
    }

    private static List<String> command(Mysqld mysqld, String template, Path run, MySqlAccess access)
            throws IOException {
        Path script = Files.writeString(run.resolve("mysqld-run.sh"), Shell.script("mysqld-run.sh"));
        Path login = Files.writeString(run.resolve("login.sql"), loginOf(access));
        List<String> command = new ArrayList<>(List.of("sh", script.toString(), template, run.toString()));
        command.addAll(mysqld.command(
                "--datadir=" + run.resolve("data"),
                "--init-file=" + login,
                "--bind-address=" + HOST,
                "--port=" + access.address().port(),
                "--skip-name-resolve",
                // Relative to the data folder: a socket's path may have 107 bytes only.
                "--socket=s"));
        return command;
    }

    /** Without name resolution a login by TCP has the address as its host; the one by socket gets the password too. */
    private static String loginOf(MySqlAccess access) {
        return """
            CREATE USER IF NOT EXISTS 'root'@'127.0.0.1' IDENTIFIED BY '%1$s';
            GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
            ALTER USER 'root'@'localhost' IDENTIFIED BY '%1$s';
            """.formatted(access.password());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    private static Path logOf(RunFolder folder) {
        return folder.path().resolve("mysqld.log");
    }

    private void awaitReady(MySqlAccess access) throws InterruptedException {
        long start = System.nanoTime();
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            try {
                access.probe();
                return;
            } catch (SQLException e) {
                if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(READY_SECONDS)) {
                    throw new IllegalStateException(
                            "mysqld is not ready after " + READY_SECONDS + " s; its log ends:\n" + logTail(), e);
                }
            }
        }
        String log = logTail();
        String message = "mysqld ended with exit code " + process.exitValue() + "; its log ends:\n" + log;
        throw log.contains("Bind on TCP/IP port")
                ? new PortTakenException(message)
                : new IllegalStateException(message);
    }

    private String logTail() {
        try {
            List<String> lines = Files.readAllLines(logOf(folder));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Ends the server by closing its script's input, as by SIGKILL; its folder stays if its data does. */
    void kill() {
        Runtime.getRuntime().removeShutdownHook(hook);
        end();
    }

    /** Ends the server and removes what its script left. */
    private void stop() {
        end();
        folder.close();
    }

    private void end() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroy();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another process took the port between its choice and its use. */
    private static final class PortTakenException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        PortTakenException(String message) {
            super(message);
        }
    }
}
