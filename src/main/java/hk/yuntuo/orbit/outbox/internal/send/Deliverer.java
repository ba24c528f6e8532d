package hk.yuntuo.orbit.outbox.internal.send;

import hk.yuntuo.orbit.outbox.internal.freeze.RequestFreezer;
import hk.yuntuo.orbit.outbox.internal.json.JsonRules;
import hk.yuntuo.orbit.outbox.internal.rules.Outcome;
import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.task.SubmitTaskCommand;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import hk.yuntuo.orbit.outbox.task.TaskPlatform;
import hk.yuntuo.orbit.outbox.task.TaskPlatformException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers one claimed row, outside any transaction: verify the bytes, verify the target, submit. */
public final class Deliverer {
    private static final Logger LOG = LoggerFactory.getLogger(Deliverer.class);
    private static final Pattern TASK_ID = Pattern.compile("[!-~]{1,128}");
    /** A character is at most three bytes of the column's 16 MiB. */
    private static final int MAX_RECEIPT = 5_000_000;

    private final TargetCheck target;

    public Deliverer(String namespaceId, String queueId) {
        this.target = new TargetCheck(namespaceId, queueId);
    }

    Outcome deliver(Claim claim, TaskPlatform platform) {
        if (!RequestFreezer.sha256(claim.document()).equals(claim.record().requestSha256())) {
            return new Outcome.Failed(ResultCode.INVALID_DOCUMENT, null);
        }
        try {
            return exchange(claim, platform);
        } catch (TaskPlatformException e) {
            ResultCode code = e.resultCode().orElse(ResultCode.UNCONFIRMED);
            if (code == ResultCode.AUTHORIZATION) {
                target.forget();
            }
            LOG.debug(
                    "outbox.delivery.failed operation={} code={}",
                    claim.record().operationId(),
                    code,
                    e);
            return new Outcome.Failed(code, e.retryAfter().orElse(null));
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            // Throwable: an adapter in a language without checked exceptions throws them all the same.
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOG.warn(
                    "outbox.delivery.broken operation={} the platform adapter failed unexpectedly; taken as unconfirmed",
                    claim.record().operationId(),
                    e);
            return unconfirmed();
        }
    }

    private Outcome exchange(Claim claim, TaskPlatform platform) {
        Duration left = claim.exchangeTime();
        if (isOver(left)) {
            return unconfirmed();
        }
        if (!target.matches(platform, left)) {
            return new Outcome.Failed(ResultCode.TARGET_MISMATCH, null);
        }
        left = claim.exchangeTime();
        if (isOver(left)) {
            return unconfirmed();
        }
        SubmitTaskCommand command = new SubmitTaskCommand(claim.record().submissionKey(), claim.document());
        SubmitTaskResult receipt = platform.submit(command, left);
        return isStorable(receipt) ? new Outcome.Answered(receipt) : unconfirmed();
    }

    /** A receipt that the table would refuse, or that a driver could change, cannot be relied on, whichever adapter read it. */
    private static boolean isStorable(SubmitTaskResult receipt) {
        if (!TASK_ID.matcher(receipt.taskId()).matches()
                || receipt.receiptJson().length() > MAX_RECEIPT) {
            return false;
        }
        try {
            JsonRules.check("receipt", receipt.receiptJson(), JsonRules.MAX_DEPTH);
            return true;
        } catch (InvalidInputException e) {
            return false;
        }
    }

    private static boolean isOver(Duration left) {
        return left.toMillis() < 1;
    }

    private static Outcome unconfirmed() {
        return new Outcome.Failed(ResultCode.UNCONFIRMED, null);
    }
}
