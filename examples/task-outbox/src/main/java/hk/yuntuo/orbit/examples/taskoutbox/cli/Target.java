package hk.yuntuo.orbit.examples.taskoutbox.cli;

/**
 * Where tasks go.
 *
 * @param namespaceId the platform namespace
 * @param queueId the queue in it
 */
record Target(String namespaceId, String queueId) {}
