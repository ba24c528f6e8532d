package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.process.ProcessSetting;
import hk.yuntuo.orbit.outbox.support.process.SenderMain;
import hk.yuntuo.orbit.outbox.support.process.SenderProcess;
import hk.yuntuo.orbit.outbox.support.proxy.Mark;
import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import hk.yuntuo.orbit.outbox.testing.Fault;
import hk.yuntuo.orbit.outbox.testing.OrbitCall;
import hk.yuntuo.orbit.outbox.testing.Submission;
import hk.yuntuo.orbit.outbox.testing.SubmissionOutcome;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Senders in processes of their own are killed at every step of a delivery. The leases they leave end by themselves, after 30 s; the
 * methods wait for that together.
 */
class ProcessDeathIT {
    private static final Predicate<String> CLAIM = MySqlProxy.containing("SET state = 'SENDING'");
    private static final Predicate<String> SETTLEMENT = MySqlProxy.containing("settled_at = IF");
    private static final Predicate<String> BUSINESS_ROW = MySqlProxy.containing("insert into business_job");
    private static final CountDownLatch NEVER = new CountDownLatch(1);

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void killedAfterThePlatformAcceptedItsSuccessorConfirmsTheOriginalReceipt() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death");
                SenderProcess killed = scene.sender().start()) {
            CountDownLatch accepted = scene.awaitAcceptances(1);
            scene.platform().faults().next(Fault.acceptThenWait(NEVER));
            String id = scene.enqueue();
            ProcessScene.await(accepted);
            String lease = scene.firstLease(id);
            killed.kill();

            try (SenderProcess successor = scene.sender().start()) {
                successor.awaitReady();
                scene.awaitAccepted(id);
            }
            scene.assertAccepted(id, 2);
            scene.assertClaimedAfter(lease, id);
            assertEquals(
                    List.of(SubmissionOutcome.ACCEPTED, SubmissionOutcome.DEDUPLICATED),
                    scene.submissionsOf(id).stream().map(Submission::outcome).toList());
            assertTrue(scene.row(id, "receipt_json").contains("\"deduplicated\":true"));
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void killedBetweenClaimAndSubmissionTheRowIsSentOnceAfterItsLease() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death");
                SenderProcess killed = scene.sender().start()) {
            scene.platform().faults().next(OrbitCall.GET_QUEUE, Fault.waitBeforeAccepting(NEVER));
            String id = scene.enqueue();
            scene.awaitRequests(OrbitCall.GET_QUEUE, 1);
            String lease = scene.firstLease(id);
            killed.kill();
            scene.successorSendsOnceAfter(lease, id);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void killedBeforeItHeardOfItsClaimTheRowIsSentOnceAfterItsLease() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death");
                MySqlProxy proxy = scene.proxy();
                SenderProcess killed = scene.sender().through(proxy.port()).start()) {
            Mark claim = proxy.next(CLAIM, Strike.HOLD_COMMAND);
            String id = scene.enqueue();
            commitStruck(proxy, claim, Strike.HOLD_REPLY);
            String lease = scene.firstLease(id);
            killed.kill();
            scene.successorSendsOnceAfter(lease, id);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void killedBeforeTheServerGotTheCommitOfItsSettlementNothingOfItStays() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death");
                MySqlProxy proxy = scene.proxy();
                SenderProcess killed =
                        scene.singleSender().through(proxy.port()).start()) {
            Mark settlement = proxy.next(SETTLEMENT, Strike.HOLD_COMMAND);
            String id = scene.enqueue();
            Mark commit = commitStruck(proxy, settlement, Strike.HOLD_COMMAND);
            killed.kill();
            scene.awaitUnlocked(id);
            String lease = scene.firstLease(id);
            assertEquals("none", commit.answer());
            assertEquals(List.of(), scene.traces(id));

            try (SenderProcess successor = scene.sender().start()) {
                successor.awaitReady();
                scene.awaitAccepted(id);
            }
            scene.assertAccepted(id, 2);
            scene.assertClaimedAfter(lease, id);
            assertEquals(2, scene.submissionsOf(id).size());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void killedBeforeItHeardOfItsSettlementNothingIsLeftToDo() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death");
                MySqlProxy proxy = scene.proxy();
                SenderProcess killed =
                        scene.singleSender().through(proxy.port()).start()) {
            Mark settlement = proxy.next(SETTLEMENT, Strike.HOLD_COMMAND);
            String id = scene.enqueue();
            Mark commit = commitStruck(proxy, settlement, Strike.HOLD_REPLY);
            killed.kill();
            assertEquals("OK", commit.answer());
            String row = scene.row(id, "*");

            try (SenderProcess successor = scene.sender().start()) {
                successor.awaitReady();
                scene.awaitAccepted(scene.enqueue());
            }
            assertEquals(row, scene.row(id, "*"));
            scene.assertAccepted(id, 1);
            assertEquals(1, scene.submissionsOf(id).size());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void sigtermEndsClaimingAndWaitsForWhatIsInFlight() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death")) {
            scene.enqueue(8);
            CountDownLatch accepted = scene.awaitAcceptances(3);
            CountDownLatch answer = new CountDownLatch(1);
            scene.platform()
                    .faults()
                    .next(Fault.acceptThenWait(answer), Fault.acceptThenWait(answer), Fault.acceptThenWait(answer));
            try (SenderProcess sender =
                    scene.sender().with(ProcessSetting.CONCURRENCY, 3).start()) {
                ProcessScene.await(accepted);
                sender.terminate();
                sender.awaitOutput(SenderMain.STOPPING);
                answer.countDown();
                assertEquals(
                        SenderMain.EXIT_STOPPED,
                        sender.awaitExit(),
                        () -> sender.output().toString());
            }
            scene.awaitRows(3, "state = 'ACCEPTED' AND send_count = 1 AND lease_epoch = 1");
            scene.awaitRows(5, "state = 'PENDING' AND send_count = 0 AND lease_epoch = 0 AND updated_at = created_at");
            assertEquals(3, scene.platform().submissions().size());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void sigtermWhileThePlatformHangsEndsInTimeAndTheLeasesKeepTheRows() throws Exception {
        try (ProcessScene scene = ProcessScene.open("death");
                MySqlProxy proxy = scene.proxy()) {
            List<String> ids = scene.enqueue(2);
            CountDownLatch accepted = scene.awaitAcceptances(1);
            scene.platform().faults().next(Fault.acceptThenWait(NEVER), Fault.waitBeforeAccepting(NEVER));
            // The interrupt at the end of the time-out makes the deliveries unconfirmed; nothing is settled before the
            // exit.
            proxy.next(SETTLEMENT, Strike.HOLD_COMMAND);
            proxy.next(SETTLEMENT, Strike.HOLD_COMMAND);
            try (SenderProcess sender = scene.sender()
                    .through(proxy.port())
                    .with(ProcessSetting.SHUTDOWN_TIMEOUT, 1_000)
                    .start()) {
                ProcessScene.await(accepted);
                scene.awaitRequests(OrbitCall.SUBMIT, 2);
                sender.terminate();
                assertEquals(SenderMain.EXIT_SHUTDOWN_TIMEOUT, sender.awaitExit());
                sender.awaitOutput("ShutdownTimeoutException: 2 deliveries did not end within 1000 ms of the stop");
            }
            List<String> leases = List.of(scene.firstLease(ids.get(0)), scene.firstLease(ids.get(1)));
            try (SenderProcess successor = scene.sender().start()) {
                successor.awaitReady();
                scene.awaitRows(2, "state = 'ACCEPTED'");
            }
            for (int i = 0; i < 2; i++) {
                scene.assertAccepted(ids.get(i), 2);
                scene.assertClaimedAfter(leases.get(i), ids.get(i));
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void killedWithinABusinessTransactionNeitherRowIsThere() throws Exception {
        String id = OperationId.next().value();
        try (ProcessScene scene = ProcessScene.open("death");
                MySqlProxy proxy = scene.proxy()) {
            Mark job = proxy.next(BUSINESS_ROW, Strike.HOLD_COMMAND);
            try (SenderProcess killed = scene.business(id).through(proxy.port()).start()) {
                commitStruck(proxy, job, Strike.HOLD_COMMAND);
                killed.kill();
            }
            assertFalse(scene.outbox().resolve(id).isPresent());
            assertEquals(List.of(), scene.database().rows("SELECT * FROM business_job"));
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void killedBeforeItHeardOfItsBusinessCommitBothRowsAreThere() throws Exception {
        String id = OperationId.next().value();
        try (ProcessScene scene = ProcessScene.open("death");
                MySqlProxy proxy = scene.proxy()) {
            Mark job = proxy.next(BUSINESS_ROW, Strike.HOLD_COMMAND);
            try (SenderProcess killed = scene.business(id).through(proxy.port()).start()) {
                commitStruck(proxy, job, Strike.HOLD_REPLY);
                killed.kill();
            }
            assertTrue(scene.outbox().resolve(id).isPresent());
            assertEquals(id, scene.database().value("SELECT operation_id FROM business_job"));
        }
    }

    /** Lets a held statement go and strikes at the COMMIT of its transaction; nothing else is under way in that process. */
    private static Mark commitStruck(MySqlProxy proxy, Mark statement, Strike strike) throws InterruptedException {
        statement.awaitStruck();
        Mark commit = proxy.next(MySqlProxy.COMMIT, strike);
        statement.release();
        commit.awaitStruck();
        return commit;
    }
}
