package hk.yuntuo.orbit.outbox.faults;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Connections without a pool that would put anything back; they can be made to refuse their rollbacks, and are alive all the same. */
final class BareSource implements DataSource {
    /** Where they come from. */
    @FunctionalInterface
    interface Origin {
        Connection connect() throws SQLException;
    }

    private final Origin origin;
    private final boolean isRefusingRollbacks;
    private final AtomicInteger refused = new AtomicInteger();
    private final List<Boolean> autoCommitAtClose = new CopyOnWriteArrayList<>();

    BareSource(Origin origin, boolean isRefusingRollbacks) {
        this.origin = origin;
        this.isRefusingRollbacks = isRefusingRollbacks;
    }

    int refusedRollbacks() {
        return refused.get();
    }

    /** How the connections came back. */
    List<Boolean> autoCommitAtClose() {
        return autoCommitAtClose;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = origin.connect();
        return (Connection) Proxy.newProxyInstance(
                BareSource.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (isRefusingRollbacks && method.getName().equals("rollback")) {
                        refused.incrementAndGet();
                        throw new SQLException("refused");
                    }
                    if (method.getName().equals("close") && !connection.isClosed()) {
                        autoCommitAtClose.add(connection.getAutoCommit());
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("no wrapper");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
