package hk.yuntuo.orbit.outbox.faults;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Connections that cannot roll back, and are alive all the same. */
final class UnrollableSource implements DataSource {
    /** Where they come from. */
    @FunctionalInterface
    interface Origin {
        Connection connect() throws SQLException;
    }

    private final Origin origin;
    private final AtomicInteger refused = new AtomicInteger();

    UnrollableSource(Origin origin) {
        this.origin = origin;
    }

    int refusedRollbacks() {
        return refused.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = origin.connect();
        return (Connection) Proxy.newProxyInstance(
                UnrollableSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("rollback")) {
                        refused.incrementAndGet();
                        throw new SQLException("refused");
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
