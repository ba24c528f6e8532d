package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.support.StatementLog;
import jakarta.persistence.EntityManagerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each path of {@link ListenerPaths}, by the statements the server received and the rows that are left; and the table made from them. */
class ListenerPathsIT {
    private static final java.nio.file.Path DOCUMENT = java.nio.file.Path.of("docs/entity-listener.md");
    private static final String HEAD =
            "| what the application does | what the server receives, and what is thrown | commands left |";

    private static ListenerDatabase database;
    private static EntityManagerFactory plain;
    private static EntityManagerFactory batched;
    private static StatementLog log;

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("paths");
        plain = database.unit(Map.of());
        batched = database.unit(Map.of(
                "hibernate.order_inserts",
                "true",
                "hibernate.order_updates",
                "true",
                "hibernate.jdbc.batch_size",
                "20"));
        log = StatementLog.open(database.database());
    }

    @AfterAll
    static void close() throws SQLException {
        log.close();
        database.close();
    }

    static List<ListenerPaths.Path> paths() {
        return ListenerPaths.all();
    }

    @ParameterizedTest
    @MethodSource("paths")
    void theCommandComesFirstAndExactlyOnceOrNotAtAll(ListenerPaths.Path path) throws SQLException {
        check(path, path.story(), plain);
    }

    @ParameterizedTest
    @MethodSource("paths")
    void orderedAndBatchedStatementsChangeNothing(ListenerPaths.Path path) throws SQLException {
        check(path, path.batchedStory(), batched);
    }

    private static void check(ListenerPaths.Path path, String story, EntityManagerFactory unit) throws SQLException {
        Scene scene = new Scene(unit);
        log.clear();
        path.work().accept(scene);
        assertEquals(story, scene.story(log));
        assertEquals(path.commands(), database.commands(scene.operationIds()));
    }

    @Test
    void theTableOfTheDocumentIsTheseTests() throws IOException {
        String rows = ListenerPaths.all().stream().map(ListenerPaths.Path::row).collect(Collectors.joining("\n"));
        String table = HEAD + "\n| --- | --- | --- |\n" + rows + "\n";
        assertTrue(Files.readString(DOCUMENT).contains(table), () -> DOCUMENT + " lacks this table:\n" + table);
    }
}
