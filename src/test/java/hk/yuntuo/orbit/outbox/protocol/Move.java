package hk.yuntuo.orbit.outbox.protocol;

/** A step and what it makes of the one operation it is about. */
record Move(Step step, Operation to) {}
