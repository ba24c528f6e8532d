package hk.yuntuo.orbit.outbox.support.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A proxy before MySQL that reads the protocol, without TLS and compression, and strikes at single commands: text commands, and prepared
 * ones by the text they were prepared with. A strike is armed explicitly and used up by one command. Thread-safe.
 */
public final class MySqlProxy implements AutoCloseable {
    /** The command that ends a transaction, as drivers send it. */
    public static final Predicate<String> COMMIT = sql -> sql.strip().equalsIgnoreCase("commit");

    private record Armed(Predicate<String> sql, Mark mark, int[] toPass) {}

    private final ServerSocket listener;
    private final String host;
    private final int port;
    private final List<Armed> armed = new ArrayList<>();
    private final Set<MySqlLink> links = ConcurrentHashMap.newKeySet();
    private volatile Function<String, @Nullable Strike> script = sql -> null;
    private volatile @Nullable IOException misunderstood;

    public MySqlProxy(String host, int port) {
        this.host = host;
        this.port = port;
        try {
            listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    public static Predicate<String> containing(String text) {
        return sql -> sql.contains(text);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Arms a strike for the next command of which the predicate is true. */
    public Mark next(Predicate<String> sql, Strike strike) {
        return next(sql, 0, strike);
    }

    /** Arms a strike for the command that follows so many others of which the predicate is true. */
    public Mark next(Predicate<String> sql, int passFirst, Strike strike) {
        Mark mark = new Mark(strike);
        synchronized (armed) {
            armed.add(new Armed(sql, mark, new int[] {passFirst}));
        }
        return mark;
    }

    /** Asked for each command that no armed strike is for; null lets it pass. It may answer with cuts only, since nobody could release. */
    public void script(Function<String, @Nullable Strike> decision) {
        script = decision;
    }

    /** Takes back what has not struck, and says how many strikes that were. */
    public int disarm() {
        synchronized (armed) {
            int count = armed.size();
            armed.clear();
            return count;
        }
    }

    @Nullable
    Mark strikeFor(String sql) {
        synchronized (armed) {
            for (Iterator<Armed> all = armed.iterator(); all.hasNext(); ) {
                Armed one = all.next();
                if (one.sql().test(sql) && one.toPass()[0]-- == 0) {
                    all.remove();
                    return one.mark();
                }
            }
        }
        Strike decided = script.apply(sql);
        return decided == null ? null : new Mark(decided);
    }

    void gone(MySqlLink link) {
        links.remove(link);
    }

    /** A client that speaks what this proxy cannot read would pass unharmed, and prove nothing. */
    void misunderstands(IOException e) {
        misunderstood = e;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                connect(client);
            } catch (IOException e) {
                // Closed, or the server is down and the client will notice.
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(host, port);
        } catch (IOException e) {
            client.close();
            throw e;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        MySqlLink link = new MySqlLink(this, client, server);
        links.add(link);
        daemon(link::fromClient);
        daemon(link::fromServer);
        if (listener.isClosed()) {
            link.cut();
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "mysql-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        links.forEach(MySqlLink::cut);
        if (misunderstood != null) {
            throw new UncheckedIOException(misunderstood);
        }
    }
}
