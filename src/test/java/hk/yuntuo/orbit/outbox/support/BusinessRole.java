package hk.yuntuo.orbit.outbox.support;

import hk.yuntuo.orbit.outbox.Outbox;
import jakarta.persistence.EntityManagerFactory;

/** One business transaction. */
final class BusinessRole implements ProcessRole {
    private final Outbox outbox;

    BusinessRole(EntityManagerFactory factory) {
        this.outbox = Requests.outbox(factory);
    }

    @Override
    public void run() {
        String id = ProcessSetting.OPERATION.required();
        outbox.transactions().inTransaction(id, em -> {
            outbox.enqueue(em, id, Requests.of("{}"));
            em.persist(new BusinessJob(id, id));
            return id;
        });
    }

    @Override
    public void stop() {
        // It ends soon by itself.
    }
}
