package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.OutboxSender;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.process.ProcessSetting;
import hk.yuntuo.orbit.outbox.support.process.SenderMain;
import hk.yuntuo.orbit.outbox.support.process.SenderProcess;
import hk.yuntuo.orbit.outbox.support.proxy.Mark;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import hk.yuntuo.orbit.outbox.testing.Fault;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A sender's process is stopped for longer than its lease, at one step or another after the platform has accepted, and then goes on. It
 * delivers one row at a time: while it has one, it claims no other.
 */
class StalledSenderIT {
    private static final Predicate<String> CLAIM = MySqlProxy.containing("SET state = 'SENDING'");
    private static final Predicate<String> SETTLEMENT = MySqlProxy.containing("settled_at = IF");

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void wokenWithItsReceiptAfterAnotherTookOverItChangesNothing() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                SenderProcess stalled =
                        scene.singleSender().with(ProcessSetting.PAUSE, "").start()) {
            String id = scene.enqueue();
            stalled.awaitOutput(SenderMain.PAUSED);
            stalled.stall();
            String row = takenOver(scene, id);
            stalled.wake();
            stalled.proceed();
            assertNothingChanged(scene, stalled, id, row);
            stalled.proceed();
            assertGoesOn(scene, stalled);
        }
    }

    /** The row is SENDING, as it left it: only the epoch says that it is another's. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void wokenWithItsReceiptWhileAnotherDeliversTheRowItChangesNothing() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                SenderProcess stalled =
                        scene.singleSender().with(ProcessSetting.PAUSE, "").start()) {
            String id = scene.enqueue();
            stalled.awaitOutput(SenderMain.PAUSED);
            stalled.stall();
            try (SenderProcess other =
                    scene.singleSender().with(ProcessSetting.PAUSE, "").start()) {
                other.awaitOutput(SenderMain.PAUSED);
                String row = scene.row(id, "*");
                assertEquals("SENDING|2", scene.row(id, "state, lease_epoch"));
                stalled.wake();
                stalled.proceed();
                stalled.awaitOutput("outbox.settle.lost operation=" + id + " epoch=1");
                assertEquals(row, scene.row(id, "*"));
                assertEquals(List.of(), scene.traces(id));
                other.proceed();
                scene.awaitAccepted(id);
            }
            scene.assertAccepted(id, 2);
            stalled.proceed();
            assertGoesOn(scene, stalled);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void wokenWithItsReceiptAndNobodyTookOverItRecordsIt() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                SenderProcess stalled =
                        scene.singleSender().with(ProcessSetting.PAUSE, "").start()) {
            String id = scene.enqueue();
            stalled.awaitOutput(SenderMain.PAUSED);
            stalled.stall();
            String lease = scene.firstLease(id);
            scene.awaitLeaseOver(id);
            stalled.wake();
            stalled.proceed();
            scene.awaitAccepted(id);
            scene.assertAccepted(id, 1);
            assertEquals("1", scene.row(id, "settled_at > '" + lease + "'"));
            assertEquals(1, scene.submissionsOf(id).size());
            stalled.proceed();
            assertGoesOn(scene, stalled);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void wokenBeforeItReadTheAnswerAfterAnotherTookOverItChangesNothing() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                SenderProcess stalled = scene.singleSender().start()) {
            String id = stalledBeforeTheAnswer(scene, stalled);
            String row = takenOver(scene, id);
            stalled.wake();
            assertNothingChanged(scene, stalled, id, row);
            assertGoesOn(scene, stalled);
        }
    }

    /** The time of its exchange is over when it wakes, with the answer before it: it may take either for the truth. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void wokenBeforeItReadTheAnswerAndNobodyTookOverItLosesNothing() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                SenderProcess stalled = scene.singleSender().start()) {
            String id = stalledBeforeTheAnswer(scene, stalled);
            scene.awaitLeaseOver(id);
            stalled.wake();
            scene.awaitAccepted(id);
            scene.assertAccepted(id, scene.submissionsOf(id).size());
            assertGoesOn(scene, stalled);
        }
    }

    /** The server has given up the silent transaction: what was under way cannot arrive any more. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void wokenWithItsConfirmationUnderWayAfterAnotherTookOverItChangesNothing() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                MySqlProxy proxy = scene.proxy();
                SenderProcess stalled = patientSender(scene, proxy).start()) {
            String id = stalledAt(proxy.next(SETTLEMENT, Strike.HOLD_COMMAND), scene, stalled);
            String row = takenOver(scene, id);
            stalled.wake();
            stalled.awaitOutput("outbox.settle.failed");
            assertEquals(row, scene.row(id, "*"));
            scene.assertAccepted(id, 2);
            assertGoesOn(scene, stalled);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void wokenWithItsConfirmationUnderWayAndNobodyTookOverItSendsAgain() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                MySqlProxy proxy = scene.proxy();
                SenderProcess stalled = patientSender(scene, proxy).start()) {
            String id = stalledAt(proxy.next(SETTLEMENT, Strike.HOLD_COMMAND), scene, stalled);
            scene.awaitLeaseOver(id);
            stalled.wake();
            stalled.awaitOutput("outbox.settle.failed");
            scene.awaitAccepted(id);
            scene.assertAccepted(id, 2);
            assertEquals(2, scene.submissionsOf(id).size());
            assertGoesOn(scene, stalled);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void stalledWithTheRowLockedByItsConfirmationItKeepsOthersFromItForItsLeaseOnly() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                MySqlProxy proxy = scene.proxy();
                SenderProcess stalled = patientSender(scene, proxy).start()) {
            String id = stalledAt(proxy.next(SETTLEMENT, Strike.HOLD_REPLY), scene, stalled);
            String row = takenOver(scene, id);
            stalled.wake();
            stalled.awaitOutput("outbox.settle.failed");
            assertEquals(row, scene.row(id, "*"));
            scene.assertAccepted(id, 2);
            assertGoesOn(scene, stalled);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void stalledWithTheRowLockedByItsClaimItCannotKeepOthersFromIt() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                MySqlProxy proxy = scene.proxy();
                SenderProcess stalled = patientSender(scene, proxy).start()) {
            String id = stalledAt(proxy.next(CLAIM, Strike.HOLD_REPLY), scene, stalled);
            try (SenderProcess other = scene.sender().start()) {
                other.awaitReady();
                scene.awaitAccepted(id);
            }
            stalled.wake();
            stalled.awaitOutput("outbox.claim.failed");
            scene.assertAccepted(id, 1);
            assertEquals(1, scene.submissionsOf(id).size());
            assertGoesOn(scene, stalled);
        }
    }

    /** More than the buffers between them hold: the server waits for the process to read on, with rows locked. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void stalledInTheMidstOfReadingWhatItClaimsItCannotKeepOthersFromIt() throws Exception {
        try (ProcessScene scene = ProcessScene.open("stall");
                MySqlProxy proxy = scene.proxy()) {
            scene.enqueueLarge(16);
            Mark claim = proxy.next(MySqlProxy.containing("SKIP LOCKED"), Strike.HOLD_REPLY);
            try (SenderProcess stalled = scene.sender().through(proxy.port()).start()) {
                claim.awaitStruck();
                stalled.stall();
                long stalledAt = System.nanoTime();
                OutboxSender other = scene.localSender();
                int sent = 0;
                while (sent < 16) {
                    sent += other.sendOnce(StubPlatform.accepting()).isPresent() ? 1 : 0;
                    assertTrue(System.nanoTime() - stalledAt < TimeUnit.SECONDS.toNanos(40), sent + " of 16 rows");
                }
            }
        }
    }

    /** A stall in the midst of a transaction loses the connection, a storage failure: it goes on after those. */
    private static SenderProcess.Launch patientSender(ProcessScene scene, MySqlProxy proxy) {
        return scene.singleSender().through(proxy.port()).with(ProcessSetting.RETRY_DELAY, 100);
    }

    private static String stalledAt(Mark mark, ProcessScene scene, SenderProcess sender) throws Exception {
        String id = scene.enqueue();
        mark.awaitStruck();
        sender.stall();
        return id;
    }

    /** The platform's answer is sent while the process is stopped. */
    private static String stalledBeforeTheAnswer(ProcessScene scene, SenderProcess sender) throws Exception {
        CountDownLatch accepted = scene.awaitAcceptances(1);
        CountDownLatch answer = new CountDownLatch(1);
        scene.platform().faults().next(Fault.acceptThenWait(answer));
        String id = scene.enqueue();
        ProcessScene.await(accepted);
        sender.stall();
        answer.countDown();
        return id;
    }

    /** Another process confirms the row; returns all of it. */
    private static String takenOver(ProcessScene scene, String id) throws SQLException {
        String lease = scene.firstLease(id);
        try (SenderProcess other = scene.sender().start()) {
            other.awaitReady();
            scene.awaitAccepted(id);
        }
        scene.assertAccepted(id, 2);
        scene.assertClaimedAfter(lease, id);
        return scene.row(id, "*");
    }

    private static void assertNothingChanged(ProcessScene scene, SenderProcess woken, String id, String row)
            throws SQLException {
        woken.awaitOutput("outbox.settle.lost operation=" + id + " epoch=1");
        assertEquals(row, scene.row(id, "*"));
        scene.assertAccepted(id, 2);
    }

    private static void assertGoesOn(ProcessScene scene, SenderProcess sender) throws SQLException {
        String next = scene.enqueue();
        scene.awaitAccepted(next);
        scene.assertAccepted(next, 1);
        sender.terminate();
        assertEquals(
                SenderMain.EXIT_STOPPED,
                sender.awaitExit(),
                () -> List.of(sender.output()).toString());
    }
}
