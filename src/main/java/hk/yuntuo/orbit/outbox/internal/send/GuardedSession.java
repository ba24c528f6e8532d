package hk.yuntuo.orbit.outbox.internal.send;

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
        if (name.equals("unwrap") && arguments != null && arguments[0] instanceof Class<?> type) {
            return unwrap(proxy, type);
        }
        try {
            return method.invoke(target, guarded(name, arguments));
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

    private static Object @Nullable [] guarded(String method, Object @Nullable [] arguments) {
        if (arguments == null || arguments.length != 1) {
            return arguments;
        }
        if (method.equals("doWork") && arguments[0] instanceof Work work) {
            Work guarded = connection -> work.execute(proxy(Connection.class, connection, CONNECTION_REFUSED));
            return new Object[] {guarded};
        }
        if (method.equals("doReturningWork") && arguments[0] instanceof ReturningWork<?> work) {
            ReturningWork<?> guarded =
                    connection -> work.execute(proxy(Connection.class, connection, CONNECTION_REFUSED));
            return new Object[] {guarded};
        }
        return arguments;
    }

    private static <T> T proxy(Class<T> type, Object target, Set<String> refused) {
        return type.cast(Proxy.newProxyInstance(
                GuardedSession.class.getClassLoader(), new Class<?>[] {type}, new GuardedSession(target, refused)));
    }
}
