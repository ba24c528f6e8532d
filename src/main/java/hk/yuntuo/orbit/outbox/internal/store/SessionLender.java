package hk.yuntuo.orbit.outbox.internal.store;

import jakarta.persistence.EntityManager;
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/** A guarded session that lets this library, and nobody else, see the session behind it. */
public interface SessionLender {
    SharedSessionContractImplementor lentSession();

    /** The session behind an EntityManager. */
    static SharedSessionContractImplementor behind(EntityManager em) {
        return em instanceof SessionLender lender
                ? lender.lentSession()
                : em.unwrap(SharedSessionContractImplementor.class);
    }
}
