package hk.yuntuo.orbit.outbox.randomrun;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.model.CommitUnconfirmedException;
import hk.yuntuo.orbit.outbox.model.DuplicateOperationException;
import hk.yuntuo.orbit.outbox.model.EnqueueResult;
import hk.yuntuo.orbit.outbox.model.OutboxConflictException;
import hk.yuntuo.orbit.outbox.randomrun.Ledger.Knowledge;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManager;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An application's business transactions, run until their end is known, as the documentation asks for. Some callers give up
 * instead: without having asked how a COMMIT ended, or believing that their transaction was rolled back, because they were told so.
 */
final class Business {
    private final RunPlan plan;
    private final Outbox outbox;
    private final Ledger ledger;
    private final Tally tally;
    private final AtomicInteger attempts = new AtomicInteger();

    Business(RunPlan plan, Outbox outbox, Ledger ledger, Tally tally) {
        this.plan = plan;
        this.outbox = outbox;
        this.ledger = ledger;
        this.tally = tally;
    }

    /** The transaction of this number, which is the same in every run with the seed. */
    void transaction(int number) {
        Random random = plan.choices("transaction " + number);
        int kind = random.nextInt(100);
        if (kind < 75) {
            untilKnown(number, "report", random);
        } else if (kind < 83) {
            rolledBack(number);
        } else if (kind < 93) {
            untilKnown(earlier(number, random), "re-report", random);
        } else {
            conflicting(earlier(number, random));
        }
    }

    /** Mostly one that is still on its way. */
    private static int earlier(int number, Random random) {
        int back = random.nextBoolean() ? 1 + random.nextInt(8) : 1 + random.nextInt(Math.max(1, number));
        return Math.max(0, number - back);
    }

    private void untilKnown(int number, String kind, Random random) {
        String id = operation(number);
        while (true) {
            String attempt = newAttempt(id);
            ledger.learnOfAttempt(attempt, Knowledge.ABSENT);
            try {
                EnqueueResult result =
                        outbox.transactions().inTransaction(id, em -> write(em, number, attempt, payload(number)));
                tally.count(kind + " " + result);
                ledger.learn(id, Knowledge.COMMITTED);
                if (result == EnqueueResult.INSERTED) {
                    ledger.learnOfAttempt(attempt, Knowledge.COMMITTED);
                }
                return;
            } catch (DuplicateOperationException e) {
                tally.count(kind + " DUPLICATE by a persisted source");
                ledger.learn(id, Knowledge.COMMITTED);
                return;
            } catch (CommitUnconfirmedException e) {
                if (isEndOf(id, attempt, random)) {
                    return;
                }
            } catch (OutboxConflictException e) {
                throw new AssertionError("the same content is no conflict", e);
            } catch (RuntimeException e) {
                // Said to be rolled back: a lock, a lost statement, a pool that had no connection.
                if (random.nextInt(100) < 30) {
                    tally.count(kind + " given up as rolled back");
                    ledger.learn(id, Knowledge.ABSENT);
                    return;
                }
                tally.count(kind + " again after " + e.getClass().getSimpleName());
            }
        }
    }

    /** What a caller without an answer to its COMMIT does: give up, ask, or run the same again. */
    private boolean isEndOf(String id, String attempt, Random random) {
        tally.count("unconfirmed");
        ledger.learnOfAttempt(attempt, Knowledge.UNKNOWN);
        int next = random.nextInt(100);
        if (next < 8) {
            tally.count("unconfirmed, gave up");
            ledger.learn(id, Knowledge.UNKNOWN);
            return true;
        }
        if (next < 54) {
            boolean committed = resolved(id);
            tally.count("unconfirmed, resolved as " + (committed ? "committed" : "rolled back"));
            ledger.learn(id, committed ? Knowledge.COMMITTED : Knowledge.ABSENT);
            if (!committed) {
                ledger.learnOfAttempt(attempt, Knowledge.ABSENT);
            }
            return committed || random.nextBoolean();
        }
        tally.count("unconfirmed, run again");
        return false;
    }

    private boolean resolved(String id) {
        while (true) {
            try {
                return outbox.resolve(id).isPresent();
            } catch (RuntimeException e) {
                tally.count("resolve again after " + e.getClass().getSimpleName());
            }
        }
    }

    private void rolledBack(int number) {
        String id = operation(number);
        String attempt = newAttempt(id);
        ledger.learn(id, Knowledge.ABSENT);
        ledger.learnOfAttempt(attempt, Knowledge.ABSENT);
        try {
            outbox.transactions().inTransaction(id, em -> {
                write(em, number, attempt, payload(number));
                em.flush();
                throw new IllegalStateException("the business decides otherwise");
            });
        } catch (RuntimeException e) {
            tally.count("rolled back by " + e.getClass().getSimpleName());
        }
    }

    /** The same operation with other content, which is never to be committed. */
    private void conflicting(int number) {
        String id = operation(number);
        String attempt = newAttempt(id);
        ledger.learn(id, Knowledge.ABSENT);
        ledger.learnOfAttempt(attempt, Knowledge.ABSENT);
        try {
            outbox.transactions().inTransaction(id, em -> {
                if (write(em, number, attempt, "{\"conflicting\":true}") == EnqueueResult.DUPLICATE) {
                    throw new AssertionError("other content is no duplicate");
                }
                throw new IllegalStateException("nothing to be in conflict with, so far");
            });
        } catch (OutboxConflictException e) {
            tally.count("conflict");
        } catch (DuplicateOperationException e) {
            throw new AssertionError("other content is no duplicate", e);
        } catch (IllegalStateException e) {
            tally.count("conflict without a counterpart");
        } catch (RuntimeException e) {
            tally.count("conflict lost to " + e.getClass().getSimpleName());
        }
    }

    /** Half of the operations call the outbox, the others' rows are sources. */
    private EnqueueResult write(EntityManager em, int number, String attempt, String payload) {
        String id = operation(number);
        if (number % 2 == 0) {
            em.persist(new ReportedJob(id, attempt, payload));
            return EnqueueResult.INSERTED;
        }
        EnqueueResult result = outbox.enqueue(em, id, Requests.of(payload));
        if (result == EnqueueResult.INSERTED) {
            em.persist(new BusinessJob(id, attempt));
        }
        return result;
    }

    /** The business row's note, so that a stored row tells which transaction stored it. */
    private String newAttempt(String id) {
        return id + " attempt " + attempts.incrementAndGet();
    }

    private String operation(int number) {
        return String.format("%016x%016x", plan.seed(), number);
    }

    static int number(String operation) {
        return Integer.parseInt(operation.substring(16), 16);
    }

    /** With what a careless JSON library would change. */
    static String payload(int number) {
        return "{\"number\":" + number
                + ",\"exact\":9007199254740993,\"price\":1.10,\"text\":\"\u8ba2\u5355 \ud83d\ude80\"}";
    }
}
