package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hk.yuntuo.orbit.outbox.support.SenderMain;
import hk.yuntuo.orbit.outbox.support.SenderProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Processes that die: the leases they leave end by themselves, while the methods of this class wait together. */
class ProcessDeathIT {
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aProcessSendsAndEndsWellWhenAskedTo() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death");
                SenderProcess sender = scene.sender().start()) {
            sender.awaitReady();
            String id = scene.enqueue();
            scene.awaitAccepted(id);
            scene.assertAccepted(id, 1);
            sender.terminate();
            assertEquals(SenderMain.EXIT_STOPPED, sender.awaitExit());
        }
    }
}
