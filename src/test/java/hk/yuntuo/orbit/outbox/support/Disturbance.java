package hk.yuntuo.orbit.outbox.support;

import jakarta.persistence.EntityManager;
import jakarta.transaction.Synchronization;
import org.hibernate.engine.spi.SessionImplementor;

/** Code of an application that fails once its transaction has ended. */
public final class Disturbance {
    private Disturbance() {}

    public static void afterCompletion(EntityManager em) {
        em.unwrap(SessionImplementor.class)
                .getTransactionCoordinator()
                .getLocalSynchronizations()
                .registerSynchronization(new Synchronization() {
                    @Override
                    public void beforeCompletion() {}

                    @Override
                    public void afterCompletion(int status) {
                        throw new IllegalStateException("after completion");
                    }
                });
    }
}
