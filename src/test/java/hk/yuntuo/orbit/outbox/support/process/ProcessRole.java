package hk.yuntuo.orbit.outbox.support.process;

import jakarta.persistence.EntityManagerFactory;

/** What a process does until it is done or asked to stop. */
interface ProcessRole {
    /** Which one. */
    enum Kind {
        /** Runs senders. */
        SENDER,
        /** One business transaction: the command and its business row. */
        BUSINESS
    }

    /** Returns when it is done; throws what ended it. */
    void run();

    /** Asks {@link #run}, present or future, to end; returns at once. */
    void stop();

    static ProcessRole chosen(EntityManagerFactory factory) {
        return switch (ProcessSetting.ROLE.choice(Kind.SENDER)) {
            case SENDER -> SendingRole.over(factory);
            case BUSINESS -> new BusinessRole(factory);
        };
    }
}
