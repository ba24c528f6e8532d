package hk.yuntuo.orbit.outbox.randomrun;

import java.util.Random;

/**
 * What a run does: all that is drawn is drawn from the seed. Who comes first is up to the machine, so a seed repeats the choices and not
 * the schedule.
 *
 * @param seed of all choices; system property {@code randomRun.seed}
 * @param seconds how long business goes on; {@code randomRun.seconds}
 * @param perSecond business transactions begun in each second; {@code randomRun.perSecond}
 * @param senders sender processes; {@code randomRun.senders}
 */
record RunPlan(long seed, int seconds, int perSecond, int senders) {
    static RunPlan fromSystemProperties() {
        return new RunPlan(
                Long.getLong("randomRun.seed", 20_260_917L),
                Integer.getInteger("randomRun.seconds", 20),
                Integer.getInteger("randomRun.perSecond", 60),
                Integer.getInteger("randomRun.senders", 3));
    }

    /** A stream of choices of its own for each part of the run. */
    Random choices(String part) {
        return new Random(seed * 31 + part.hashCode());
    }

    int transactions() {
        return seconds * perSecond;
    }
}
