package hk.yuntuo.orbit.outbox.internal.unit;

import hk.yuntuo.orbit.outbox.model.LockOrderGuard;

/** How one queue of one unit is enqueued into. The ids are checked by whoever reads them. */
public record QueueSettings(String namespaceId, String queueId, int maxDocumentBytes, LockOrderGuard guard) {}
