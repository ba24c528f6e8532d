package hk.yuntuo.orbit.outbox.support.process;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
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
