package hk.yuntuo.orbit.outbox.support.jta;

import jakarta.transaction.TransactionManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.hibernate.engine.transaction.jta.platform.internal.NarayanaJtaPlatform;

/** Narayana, with one method of its TransactionManager replaced. */
@SuppressWarnings("serial")
public final class WrongManagerPlatform extends NarayanaJtaPlatform {
    /** What is called instead. */
    @FunctionalInterface
    public interface Instead {
        void call(TransactionManager manager) throws Exception;
    }

    private final String method;
    private final Instead instead;

    public WrongManagerPlatform(String method, Instead instead) {
        this.method = method;
        this.instead = instead;
    }

    @Override
    protected TransactionManager locateTransactionManager() {
        TransactionManager manager = super.locateTransactionManager();
        return (TransactionManager) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {TransactionManager.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        instead.call(manager);
                        return null;
                    }
                    try {
                        return called.invoke(manager, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
