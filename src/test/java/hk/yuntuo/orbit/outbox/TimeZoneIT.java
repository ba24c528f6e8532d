package hk.yuntuo.orbit.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.OutboxEntity;
import hk.yuntuo.orbit.outbox.jpa.OutboxKey;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.model.OutboxState;
import hk.yuntuo.orbit.outbox.model.ResultCode;
import hk.yuntuo.orbit.outbox.support.OutboxRows;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StubPlatform;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.TaskPlatformException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The same instants to the microsecond under any setting of JVM, session and driver. The server's clock stands still at a time that,
 * read in the JVM's zone, does not exist or exists twice; a plain connection says what is truly stored.
 */
class TimeZoneIT {
    private static final TimeZone FOUND = TimeZone.getDefault();
    private static final DateTimeFormatter STORED =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS").withZone(ZoneOffset.UTC);
    private static final String COLUMNS = Stream.of(
                    "created_at", "updated_at", "send_deadline_at", "due_at", "settled_at")
            .map(column -> "CAST(" + column + " AS CHAR)")
            .collect(Collectors.joining(", "));

    private static TestDatabase database;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.create("zones");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        database.update("DELETE FROM sender_outbox");
    }

    @AfterEach
    void restoreTheZone() {
        TimeZone.setDefault(FOUND);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UTC              | 2026-03-29T02:30:00.123456Z | connectTimeout=0",
                "Europe/Berlin    | 2026-03-29T02:30:00.123456Z | connectTimeout=0",
                "Europe/Berlin    | 2026-10-25T02:30:00.654321Z | connectTimeout=0",
                "America/New_York | 2026-03-08T02:30:00.000001Z | connectionTimeZone=SERVER&cacheDefaultTimeZone=false",
                "Europe/Berlin    | 2026-03-29T02:30:00.999999Z | connectionTimeZone=LOCAL",
                "Asia/Kolkata     | 2026-03-28T21:00:00.123456Z | connectionTimeZone=%2B05:30",
                "Europe/Berlin    | 2026-03-29T02:30:00.123456Z | connectionTimeZone=UTC&preserveInstants=false",
                "Europe/Berlin    | 2026-03-29T02:30:00.123456Z | connectionTimeZone=LOCAL&preserveInstants=true",
                "Pacific/Apia     | 2026-03-29T02:30:00.123456Z | connectionTimeZone=%2B05:30&forceConnectionTimeZoneToSession=true",
                "America/New_York | 2026-11-01T01:30:00.123456Z | connectionTimeZone=-05:00&forceConnectionTimeZoneToSession=true&preserveInstants=true",
                "Europe/Berlin    | 2026-03-29T02:30:00.123456Z | sessionVariables=time_zone='-08:00'",
                "Asia/Shanghai    | 2026-03-29T02:30:00.123456Z | connectionTimeZone=SERVER&sessionVariables=time_zone='%2B13:45'",
                "Europe/Berlin    | 2026-03-29T02:30:00.123456Z | sendFractionalSeconds=false",
                "Europe/Berlin    | 2026-03-29T02:30:00.123456Z | useServerPrepStmts=true",
                "Europe/Berlin    | 2026-03-29T02:30:00.123456Z | useServerPrepStmts=true&sendFractionalSeconds=false&connectionTimeZone=SERVER"
            })
    void everyInstantIsTheDatabases(String zone, Instant now, String options) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        roundTrip(now, database.unit(standingStill(now, options), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "hibernate.jdbc.time_zone, America/New_York",
        "hibernate.jdbc.time_zone, UTC",
        "hibernate.timezone.default_storage, NORMALIZE",
        "hibernate.type.preferred_instant_jdbc_type, TIMESTAMP",
        "hibernate.type.java_time_use_direct_jdbc, true"
    })
    void hibernatesSettingsChangeNoInstant(String setting, String value) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        Instant now = Instant.parse("2026-03-29T02:30:00.123456Z");
        String options = standingStill(now, "sessionVariables=time_zone='-08:00'");
        roundTrip(now, database.unit(options, Map.of(setting, value)));
    }

    @Test
    void theDeadlineIsMetToTheMicrosecond() throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        Instant now = Instant.parse("2026-03-29T02:30:00.123456Z");
        EntityManagerFactory factory = database.unit(standingStill(now, "sendFractionalSeconds=false"), Map.of());
        Outbox outbox = outbox(factory);
        List<String> ids = OutboxRows.enqueue(outbox, 2);
        setDeadline(ids.get(0), now);
        setDeadline(ids.get(1), now.plusNanos(1_000));

        StubPlatform platform = StubPlatform.accepting();
        sender(factory, new ArrayList<>()).sendOnce(platform);
        sender(factory, new ArrayList<>()).sendOnce(platform);

        assertEquals(
                ResultCode.SEND_DEADLINE,
                outbox.status(ids.get(0)).orElseThrow().resultCode());
        assertEquals(1, outbox.status(ids.get(1)).orElseThrow().sendCount());
        assertEquals(List.of(), platform.keys());
    }

    @Test
    void withoutAStandingClockTheInstantIsTheServersNow() throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
        Outbox outbox = outbox(database.unit("sessionVariables=time_zone='-08:00'", Map.of()));
        String before = database.value("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR)");
        outbox.transactions().inTransaction(em -> outbox.enqueue(em, id, Requests.of("1")));
        String after = database.value("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR)");

        String created = STORED.format(outbox.status(id).orElseThrow().createdAt());
        assertTrue(before.compareTo(created) <= 0 && created.compareTo(after) <= 0, created);
    }

    private void roundTrip(Instant now, EntityManagerFactory factory) throws SQLException {
        Outbox outbox = outbox(factory);
        outbox.transactions().inTransaction(em -> outbox.enqueue(em, id, Requests.of("1")));
        check(factory, outbox.status(id).orElseThrow(), OutboxState.PENDING, now, now);

        List<OutboxRecord> confirmed = new ArrayList<>();
        OutboxSender sender = sender(factory, confirmed);
        StubPlatform silent = new StubPlatform(command -> {
            Instant lease = now.plus(Duration.ofSeconds(30));
            check(factory, outbox.status(id).orElseThrow(), OutboxState.SENDING, now, lease);
            throw TaskPlatformException.unconfirmed("silence", null);
        });
        OutboxRecord retried = sender.sendOnce(silent).orElseThrow();
        Duration wait = Duration.between(now, retried.dueAt());
        assertEquals(0, wait.minusSeconds(1).toNanos() % 1_000_000, "whole milliseconds after " + now + ": " + wait);
        assertTrue(wait.toMillis() >= 1_000 && wait.toMillis() < 2_000, wait::toString);
        check(factory, retried, OutboxState.PENDING, now, retried.dueAt());

        database.update("UPDATE sender_outbox SET due_at = created_at");
        OutboxRecord accepted = sender.sendOnce(StubPlatform.accepting()).orElseThrow();
        check(factory, accepted, OutboxState.ACCEPTED, now, null);
        assertEquals(now, accepted.settledAt());
        assertEquals(now.plus(Duration.ofSeconds(30)), confirmed.get(0).dueAt());
        assertEquals(now, confirmed.get(0).createdAt());
    }

    /** The record, the entity and what a plain connection reads as text say the same. */
    private void check(
            EntityManagerFactory factory, OutboxRecord row, OutboxState state, Instant now, @Nullable Instant due) {
        assertEquals(state, row.state());
        assertEquals(List.of(now, now), List.of(row.createdAt(), row.updatedAt()));
        assertEquals(now.plus(Duration.ofHours(24)), row.sendDeadlineAt());
        assertEquals(due, row.dueAt());
        assertEquals(stored(), texts(row));
        assertEquals(row, outbox(factory).status(id).orElseThrow());
        try (EntityManager em = factory.createEntityManager()) {
            // Whole seconds: a driver told to drop fractions drops them from a query's parameters too.
            OutboxEntity entity = em.createQuery(
                            "select o from OutboxEntity o where o.createdAt >= :from and o.createdAt < :to",
                            OutboxEntity.class)
                    .setParameter("from", now.truncatedTo(ChronoUnit.SECONDS))
                    .setParameter("to", now.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1))
                    .getSingleResult();
            assertEquals(em.find(OutboxEntity.class, new OutboxKey(Requests.NAMESPACE, id)), entity);
            assertEquals(stored(), texts(entity));
        }
    }

    private String stored() {
        try {
            return database.value("SELECT " + COLUMNS + " FROM sender_outbox WHERE operation_id = '" + id + "'");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static String texts(OutboxRecord row) {
        return texts(row.createdAt(), row.updatedAt(), row.sendDeadlineAt(), row.dueAt(), row.settledAt());
    }

    private static String texts(OutboxEntity row) {
        return texts(
                row.getCreatedAt(), row.getUpdatedAt(), row.getSendDeadlineAt(), row.getDueAt(), row.getSettledAt());
    }

    private static String texts(@Nullable Instant... instants) {
        return Stream.of(instants)
                .map(instant -> instant == null ? "null" : STORED.format(instant))
                .collect(Collectors.joining("|"));
    }

    /** Stops the clock of the unit's sessions. */
    private static String standingStill(Instant now, String options) {
        String clock = "timestamp=" + now.getEpochSecond() + "." + String.format("%06d", now.getNano() / 1_000);
        return options.contains("sessionVariables=")
                ? options.replace("sessionVariables=", "sessionVariables=" + clock + ",")
                : options + "&sessionVariables=" + clock;
    }

    private static void setDeadline(String id, Instant deadline) throws SQLException {
        database.update("UPDATE sender_outbox SET created_at = created_at - INTERVAL 1 DAY, send_deadline_at = '"
                + STORED.format(deadline) + "' WHERE operation_id = '" + id + "'");
    }

    private static Outbox outbox(EntityManagerFactory factory) {
        return Requests.outbox(factory);
    }

    private static OutboxSender sender(EntityManagerFactory factory, List<OutboxRecord> confirmed) {
        return OutboxSender.builder(factory)
                .namespaceId(Requests.NAMESPACE)
                .queueId(Requests.QUEUE)
                .onAccepted((em, row, receipt) -> confirmed.add(row))
                .build();
    }
}
