package hk.yuntuo.orbit.outbox.randomrun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import hk.yuntuo.orbit.outbox.randomrun.Ledger.Knowledge;
import hk.yuntuo.orbit.outbox.randomrun.RowHistory.Change;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.testing.OrbitSimulator;
import hk.yuntuo.orbit.outbox.testing.SimulatedTask;
import hk.yuntuo.orbit.outbox.testing.Submission;
import hk.yuntuo.orbit.outbox.testing.SubmissionOutcome;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Holds what the application was told, what the platform saw and what the database went through against each other. */
final class Verdict {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    /** What becomes of well-formed submissions; a fault may have come first. */
    private static final Set<SubmissionOutcome> UNREFUSED =
            Set.of(SubmissionOutcome.ACCEPTED, SubmissionOutcome.DEDUPLICATED, SubmissionOutcome.NOT_HANDLED);

    private final List<String> violations = new ArrayList<>();
    private final Map<String, FinalRow> rows;
    private final Map<String, List<Change>> changes;
    private final Map<String, List<SimulatedTask>> tasks;
    private final Map<String, List<Submission>> submissions;

    private Verdict(TestDatabase database, RowHistory history, OrbitSimulator simulator) throws SQLException {
        rows = FinalRow.all(database);
        changes = history.changes();
        tasks = simulator.tasks().stream().collect(Collectors.groupingBy(SimulatedTask::submissionKey));
        submissions = simulator.submissions().stream()
                .collect(Collectors.groupingBy(submission -> Objects.requireNonNull(submission.submissionKey())));
        for (String table : List.of("sender_outbox", "business_job")) {
            long count = Long.parseLong(database.value("SELECT COUNT(*) FROM " + table));
            check(
                    count == rows.size(),
                    table,
                    "has " + count + " rows, but command and business row go together in " + rows.size());
        }
        check(history.deletions() == 0, "sender_outbox", "lost rows");
        long accepted = rows.values().stream()
                .filter(row -> row.state().equals("ACCEPTED"))
                .count();
        String callbacks = database.value("SELECT COUNT(*) FROM callback_trace");
        check(callbacks.equals(accepted + ""), "callback_trace", "has " + callbacks + " for " + accepted + " ACCEPTED");
    }

    /** What is wrong, in words; nothing if all is well. */
    static List<String> of(
            TestDatabase database, RowHistory history, OrbitSimulator simulator, Ledger ledger, Tally tally)
            throws SQLException {
        Verdict verdict = new Verdict(database, history, simulator);
        verdict.whatTheApplicationWasTold(ledger);
        verdict.whatEachTransactionWasTold(ledger);
        verdict.whatNobodyCommitted();
        verdict.reviewsWithoutCause(tally);
        verdict.rows.values().forEach(verdict::row);
        return verdict.violations;
    }

    private void whatTheApplicationWasTold(Ledger ledger) {
        Map<String, Knowledge> known = ledger.all();
        known.forEach((id, knowledge) -> {
            boolean stored = rows.containsKey(id);
            check(knowledge != Knowledge.COMMITTED || stored, id, "was said to be committed and is not there");
            check(knowledge != Knowledge.ABSENT || !stored, id, "was said to be rolled back and is there");
        });
        rows.keySet().forEach(id -> check(known.containsKey(id), id, "is nobody's operation"));
    }

    /** A stored row names the transaction that stored it; another one of the same operation does not make up for it. */
    private void whatEachTransactionWasTold(Ledger ledger) {
        Set<String> stored = rows.values().stream().map(FinalRow::attempt).collect(Collectors.toSet());
        Map<String, Knowledge> told = ledger.attempts();
        told.forEach((attempt, knowledge) -> {
            boolean isStored = stored.contains(attempt);
            check(knowledge != Knowledge.COMMITTED || isStored, attempt, "was said to be committed and stored nothing");
            check(knowledge != Knowledge.ABSENT || !isStored, attempt, "was said to store nothing and stored its rows");
        });
        stored.forEach(attempt -> check(told.containsKey(attempt), attempt, "is nobody's transaction"));
    }

    private void whatNobodyCommitted() {
        submissions.forEach((key, of) -> {
            check(rows.containsKey(key.replace("outbox-task-", "")), key, "was sent without a committed operation");
            of.forEach(one -> check(UNREFUSED.contains(one.outcome()), key, "was answered with " + one.outcome()));
        });
        tasks.forEach((key, of) -> {
            check(rows.containsKey(key.replace("outbox-task-", "")), key, "has a task without a committed operation");
            check(of.size() == 1, key, "has " + of.size() + " tasks");
        });
    }

    private void reviewsWithoutCause(Tally tally) {
        Map<String, Long> reviews = rows.values().stream()
                .filter(row -> row.state().equals("REVIEW"))
                .collect(Collectors.groupingBy(row -> String.valueOf(row.resultCode()), Collectors.counting()));
        reviews.forEach((code, count) -> {
            int causes = tally.of("HTTP for review " + code);
            check(count <= causes, code, "is the end of " + count + " rows; the platform gave cause for " + causes);
        });
    }

    private void row(FinalRow row) {
        String id = row.operationId();
        history(row, changes.getOrDefault(id, List.of()));
        List<SimulatedTask> task = tasks.getOrDefault(row.submissionKey(), List.of());
        switch (row.state()) {
            case "ACCEPTED" -> accepted(row, task);
            case "REVIEW" -> reviewed(row, task);
            default -> check(false, id, "is stuck in " + row.state());
        }
        for (SimulatedTask one : task) {
            check(one.documentText().equals(row.document()), id, "was accepted with other bytes than are stored");
        }
        String payload = Business.payload(Business.number(id));
        check(row.document().contains(payload), id, "is stored with another payload than was reported");
    }

    private void history(FinalRow row, List<Change> of) {
        String id = row.operationId();
        of.forEach(change -> check(change.isLegal(), id, "was changed as it may not be: " + change));
        for (int i = 1; i < of.size(); i++) {
            check(of.get(i).epochBefore() == of.get(i - 1).epochAfter(), id, "changed its epoch between changes");
            check(of.get(i).before() == of.get(i - 1).after(), id, "changed its state between changes");
        }
        long claims = of.stream().filter(Change::isClaim).count();
        check(
                row.sendCount() == claims && row.leaseEpoch() == claims,
                id,
                "counts other claims than the " + claims + " made");
        List<Submission> sent = submissions.getOrDefault(row.submissionKey(), List.of());
        check(sent.size() <= claims, id, "was sent " + sent.size() + " times under " + claims + " epochs");
        sent.forEach(one ->
                check(one.documentText().equals(row.document()), id, "was sent with other bytes than are stored"));
        long created = sent.stream()
                .filter(one -> one.outcome() == SubmissionOutcome.ACCEPTED)
                .count();
        check(created <= 1, id, "created " + created + " tasks");
    }

    private void accepted(FinalRow row, List<SimulatedTask> task) {
        String id = row.operationId();
        check(task.size() == 1, id, "is ACCEPTED and has " + task.size() + " tasks");
        String taskId = task.isEmpty() ? "" : task.get(0).taskId();
        check(taskId.equals(row.taskId()), id, "names another task than the platform's");
        check(taskId.equals(row.taskOfBusinessRow()), id, "is linked to another task by its business row");
        check((row.leaseEpoch() + " " + taskId).equals(row.callbacks()), id, "ran its callback as " + row.callbacks());
        receipt(row, taskId);
    }

    private void receipt(FinalRow row, String taskId) {
        JsonNode receipt = parsed(row.receipt());
        Map.of(
                        "task_id",
                        taskId,
                        "namespace_id",
                        Requests.NAMESPACE,
                        "queue_id",
                        Requests.QUEUE,
                        "idempotency_key",
                        row.submissionKey())
                .forEach((field, value) -> check(
                        receipt.path(field).asText().equals(value), row.operationId(), "has a receipt of " + receipt));
        boolean repeated = submissions.getOrDefault(row.submissionKey(), List.of()).stream()
                .anyMatch(one -> one.outcome() == SubmissionOutcome.DEDUPLICATED);
        boolean deduplicated = receipt.path("deduplicated").asBoolean();
        check(repeated || !deduplicated, row.operationId(), "has a receipt that the platform never gave");
    }

    private static JsonNode parsed(@Nullable String receipt) {
        try {
            return JSON.readTree(receipt == null ? "" : receipt);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    private void reviewed(FinalRow row, List<SimulatedTask> task) {
        String id = row.operationId();
        boolean expected =
                HttpFaults.finalCodes().stream().anyMatch(code -> code.name().equals(row.resultCode()));
        check(expected, id, "is in REVIEW for " + row.resultCode());
        check(
                row.taskOfBusinessRow() == null && row.callbacks() == null,
                id,
                "is in REVIEW and its callback has left something");
        check(!"INVALID_RECEIPT".equals(row.resultCode()) || task.size() == 1, id, "got a receipt without a task");
    }

    private void check(boolean holds, String of, String wrong) {
        if (!holds) {
            violations.add(of + " " + wrong);
        }
    }
}
