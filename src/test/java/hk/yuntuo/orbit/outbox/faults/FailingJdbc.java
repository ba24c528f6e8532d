package hk.yuntuo.orbit.outbox.faults;

import hk.yuntuo.orbit.outbox.support.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Connections of which one call, by its number, fails: before it does anything, or after it has done all of it. For one thread. */
final class FailingJdbc {
    private static final String SETTINGS =
            "SELECT @@transaction_isolation, @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@wait_timeout,"
                    + " @@net_read_timeout, @@net_write_timeout, @@autocommit, (SELECT COUNT(*) FROM"
                    + " information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID())";

    private final Supplier<Throwable> failure;
    private final boolean isBefore;
    private final List<String> changed = new ArrayList<>();
    private int calls;
    private int failing = -1;
    private String failed = "nothing";

    FailingJdbc(Supplier<Throwable> failure, boolean isBefore) {
        this.failure = failure;
        this.isBefore = isBefore;
    }

    void failAt(int call) {
        calls = 0;
        failing = call;
        failed = "nothing";
        changed.clear();
    }

    /** Returns whether the call that was to fail was made. */
    boolean rest() {
        boolean made = calls > failing;
        failing = -1;
        return made;
    }

    /** What failed. */
    String failed() {
        return failed;
    }

    /** How connections came back that are alive and not as they were lent. */
    List<String> changed() {
        return changed;
    }

    Connection lend(Connection real) throws SQLException {
        String found = TestDatabase.rows(real, SETTINGS).get(0);
        return wrap(Connection.class, real, () -> {
            try (real) {
                if (!real.isClosed()) {
                    real.setNetworkTimeout(Runnable::run, 0);
                    String now = TestDatabase.rows(real, SETTINGS).get(0);
                    if (!now.equals(found)) {
                        changed.add(found + " -> " + now);
                    }
                }
            }
        });
    }

    private interface Closing {
        void run() throws SQLException;
    }

    private <T> T wrap(Class<T> type, Object target, @Nullable Closing closing) {
        return type.cast(Proxy.newProxyInstance(
                FailingJdbc.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    boolean fails = calls++ == failing;
                    boolean closes = closing != null && method.getName().equals("close");
                    if (fails) {
                        failed = type.getSimpleName() + "." + method.getName();
                    }
                    if (fails && isBefore && !closes) {
                        throw failure.get();
                    }
                    Object result = closes ? close(closing) : call(method, target, arguments);
                    if (fails) {
                        throw failure.get();
                    }
                    return result;
                }));
    }

    private static @Nullable Object close(Closing closing) throws SQLException {
        closing.run();
        return null;
    }

    private @Nullable Object call(Method method, Object target, Object @Nullable [] arguments) throws Throwable {
        try {
            Object result = method.invoke(target, arguments);
            if (result instanceof PreparedStatement) {
                return wrap(PreparedStatement.class, result, null);
            }
            if (result instanceof Statement) {
                return wrap(Statement.class, result, null);
            }
            return result instanceof ResultSet ? wrap(ResultSet.class, result, null) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
