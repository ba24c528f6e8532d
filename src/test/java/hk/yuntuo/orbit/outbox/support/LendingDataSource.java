package hk.yuntuo.orbit.outbox.support;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A pool without any wits: it counts what it has lent and not got back, whatever became of it. */
public final class LendingDataSource implements DataSource {
    private final Source source;
    private final AtomicInteger outstanding = new AtomicInteger();

    public LendingDataSource(Source source) {
        this.source = source;
    }

    /** Where connections come from. */
    @FunctionalInterface
    public interface Source {
        Connection open() throws SQLException;
    }

    public int outstanding() {
        return outstanding.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.open();
        outstanding.incrementAndGet();
        AtomicBoolean back = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close") && back.compareAndSet(false, true)) {
                        outstanding.decrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
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
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
