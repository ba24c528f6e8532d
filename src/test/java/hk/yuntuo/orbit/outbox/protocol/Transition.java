package hk.yuntuo.orbit.outbox.protocol;

/** A step and the world after it. */
record Transition(Step step, World to) {}
