package hk.yuntuo.orbit.outbox.internal.send;

import jakarta.persistence.ConnectionConsumer;
import jakarta.persistence.ConnectionFunction;
import jakarta.persistence.EntityManager;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import org.hibernate.Session;
import org.hibernate.jdbc.ReturningWork;
import org.hibernate.jdbc.Work;
import org.jspecify.annotations.Nullable;

/**
 * A session whose transaction belongs to the sender: beginning, ending and closing are refused, on the session and on the JDBC
 * connection it lends.
 */
final class GuardedSession implements InvocationHandler {
    private static final Set<String> SESSION_REFUSED =
            Set.of("close", "getTransaction", "accessTransaction", "beginTransaction", "joinTransaction", "disconnect");
    private static final Set<String> CONNECTION_REFUSED = Set.of(
            "close", "abort", "commit", "rollback", "setAutoCommit", "setTransactionIsolation", "setNetworkTimeout");

    private final Object target;
    private final Set<String> refused;

    private GuardedSession(Object target, Set<String> refused) {
        this.target = target;
        this.refused = refused;
    }

    static EntityManager of(EntityManager em) {
        return proxy(Session.class, em, SESSION_REFUSED);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (refused.contains(name)) {
            throw new IllegalStateException(name + " is refused: the sender owns this transaction and ends it itself");
        }
        if (arguments != null && arguments.length == 1) {
            if (name.equals("equals")) {
                return proxy == arguments[0];
            }
            if (name.equals("unwrap")) {
                return unwrap(proxy, (Class<?>) arguments[0]);
            }
            arguments = new Object[] {guarded(arguments[0])};
        }
        try {
            return method.invoke(target, arguments);
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

    /** Work that asks for the connection gets a guarded one, by whichever of the four ways it asks. */
    private static @Nullable Object guarded(@Nullable Object argument) {
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
    private static ConnectionConsumer<Connection> consumer(ConnectionConsumer<?> work) {
        return connection -> ((ConnectionConsumer<Connection>) work).accept(guard(connection));
    }

    @SuppressWarnings("unchecked")
    private static ConnectionFunction<Connection, ?> function(ConnectionFunction<?, ?> work) {
        return connection -> ((ConnectionFunction<Connection, ?>) work).apply(guard(connection));
    }

    private static Connection guard(Connection connection) {
        return proxy(Connection.class, connection, CONNECTION_REFUSED);
    }

    private static <T> T proxy(Class<T> type, Object target, Set<String> refused) {
        return type.cast(Proxy.newProxyInstance(
                GuardedSession.class.getClassLoader(), new Class<?>[] {type}, new GuardedSession(target, refused)));
    }
}
