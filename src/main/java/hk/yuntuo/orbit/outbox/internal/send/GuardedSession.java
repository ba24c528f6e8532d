package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.internal.store.SessionLender;
import hk.yuntuo.orbit.outbox.internal.store.TransactionSql;
import hk.yuntuo.orbit.outbox.internal.store.Unit;
import jakarta.persistence.ConnectionConsumer;
import jakarta.persistence.ConnectionFunction;
import jakarta.persistence.EntityManager;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.hibernate.Session;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.jdbc.ReturningWork;
import org.hibernate.jdbc.Work;
import org.jspecify.annotations.Nullable;

/**
 * A session whose transaction belongs to the sender: beginning, ending and closing are refused, on the session and on the JDBC
 * connection it lends. It keeps slips out; it is no wall against code that means to get around it.
 */
final class GuardedSession implements InvocationHandler {
    private static final Set<String> SESSION_REFUSED = Set.of(
            "close",
            "getTransaction",
            "accessTransaction",
            "beginTransaction",
            "joinTransaction",
            "inTransaction",
            "fromTransaction",
            "disconnect",
            "sessionWithOptions",
            "statelessWithOptions");
    private static final Set<String> CONNECTION_REFUSED = Set.of(
            "close",
            "abort",
            "commit",
            "rollback",
            "setAutoCommit",
            "setTransactionIsolation",
            "setNetworkTimeout",
            "setCatalog",
            "setSchema",
            "setReadOnly");

    private final Unit unit;
    private final Object target;
    private final Set<String> refused;
    /** What the target's getConnection or getStatement returns; null for a session or a connection. */
    private final @Nullable Object lender;

    private GuardedSession(Unit unit, Object target, Set<String> refused, @Nullable Object lender) {
        this.unit = unit;
        this.target = target;
        this.refused = refused;
        this.lender = lender;
    }

    static EntityManager of(Unit unit) {
        GuardedSession guard = new GuardedSession(unit, unit.entityManager(), SESSION_REFUSED, null);
        return (EntityManager) Proxy.newProxyInstance(
                GuardedSession.class.getClassLoader(), new Class<?>[] {Session.class, SessionLender.class}, guard);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        boolean toSavepoint = name.equals("rollback") && arguments != null;
        if (refused.contains(name) && !toSavepoint) {
            throw new IllegalStateException(name + " is refused: the sender owns this transaction and ends it itself");
        }
        if (name.equals("getDelegate")) {
            return proxy;
        }
        if (name.equals("lentSession")) {
            return unit.entityManager().unwrap(SharedSessionContractImplementor.class);
        }
        if (lender != null && (name.equals("getConnection") || name.equals("getStatement"))) {
            return lender;
        }
        if (arguments != null && arguments.length == 1) {
            if (name.equals("equals")) {
                return proxy == arguments[0];
            }
            if (name.equals("unwrap")) {
                return unwrap(proxy, (Class<?>) arguments[0]);
            }
            if (name.equals("isWrapperFor")) {
                return ((Class<?>) arguments[0]).isInstance(proxy);
            }
            arguments = new Object[] {guarded(arguments[0])};
        }
        if (target instanceof Connection || target instanceof Statement) {
            beforeSql(name, arguments);
        }
        try {
            return lent(proxy, method, method.invoke(target, arguments));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object unwrap(Object proxy, Class<?> type) {
        if (type.isInstance(proxy)) {
            return proxy;
        }
        throw new IllegalStateException(
                "unwrap to " + type.getName() + " is refused: the sender owns this transaction");
    }

    private void beforeSql(String method, Object @Nullable [] arguments) throws SQLException {
        if (method.startsWith("execute")) {
            unit.tighten();
        }
        boolean takesSql = method.startsWith("execute") || method.startsWith("prepare") || method.equals("addBatch");
        if (takesSql && arguments != null && arguments[0] instanceof String sql) {
            TransactionSql.refuse(sql);
        }
    }

    /** Statements and meta data of a guarded connection name that connection as theirs, and result sets such a statement. */
    private @Nullable Object lent(Object proxy, Method method, @Nullable Object result) {
        boolean ofConnection =
                target instanceof Connection && (result instanceof Statement || result instanceof DatabaseMetaData);
        if (ofConnection || target instanceof Statement && result instanceof ResultSet) {
            return proxy(method.getReturnType(), new GuardedSession(unit, result, Set.of(), proxy));
        }
        return result;
    }

    /** Work that asks for the connection gets a guarded one, by whichever of the four ways it asks. */
    private @Nullable Object guarded(@Nullable Object argument) {
        if (argument instanceof Work work) {
            return (Work) connection -> work.execute(guard(connection));
        }
        if (argument instanceof ReturningWork<?> work) {
            return (ReturningWork<?>) connection -> work.execute(guard(connection));
        }
        if (argument instanceof ConnectionConsumer<?> work) {
            return consumer(work);
        }
        if (argument instanceof ConnectionFunction<?, ?> work) {
            return function(work);
        }
        return argument;
    }

    @SuppressWarnings("unchecked")
    private ConnectionConsumer<Connection> consumer(ConnectionConsumer<?> work) {
        return connection -> ((ConnectionConsumer<Connection>) work).accept(guard(connection));
    }

    @SuppressWarnings("unchecked")
    private ConnectionFunction<Connection, ?> function(ConnectionFunction<?, ?> work) {
        return connection -> ((ConnectionFunction<Connection, ?>) work).apply(guard(connection));
    }

    private Connection guard(Connection connection) {
        return proxy(Connection.class, new GuardedSession(unit, connection, CONNECTION_REFUSED, null));
    }

    private static <T> T proxy(Class<T> type, GuardedSession guard) {
        return type.cast(Proxy.newProxyInstance(GuardedSession.class.getClassLoader(), new Class<?>[] {type}, guard));
    }
}
