package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TaggedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Parcels;
import hk.yuntuo.orbit.outbox.jpa.sources.Parcels.Parcel;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.hibernate.engine.spi.SessionImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A merge of a new source: its copy gets collections and inverse sides late, and its request has them all the same. */
class MergedSourceIT {
    private static ListenerDatabase database;
    private static EntityManagerFactory factory;

    private final String id = OperationId.next().value();

    @BeforeAll
    static void open() throws SQLException {
        database = ListenerDatabase.create("merged");
        for (String table : Parcels.TABLES) {
            database.database().update("CREATE TABLE " + table);
        }
        factory = database.unit(
                Parcels.ALL, Map.of(OutboxUnit.NAMESPACE_ID, Requests.NAMESPACE, OutboxUnit.QUEUE_ID, Requests.QUEUE));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void itsCollectionIsInTheRequest() throws SQLException {
        factory.runInTransaction(em -> em.merge(new TaggedJob(id, List.of("a", "b"))));
        assertTrue(document().contains("\"tags\":2"), document());
        assertEquals("2", tags());
    }

    @Test
    void itsInverseSideIsInTheRequest() throws SQLException {
        factory.runInTransaction(em -> em.merge(new Parcel(id, "fragile")));
        assertTrue(document().contains("\"label\":\"fragile\""), document());
        assertEquals(1, database.rowsOf("parcel", id));
        assertEquals(id, database.database().value("SELECT parcel_id FROM label WHERE id = '" + id + "'"));
    }

    @Test
    void whatItIsMergedFromIsLeftAlone() {
        Parcel given = new Parcel(id, "fragile");
        factory.runInTransaction(em -> em.merge(given));
        assertSame(given, Objects.requireNonNull(given.getLabel()).getParcel());
    }

    @Test
    void anInstanceOfASubclassThatIsNotMappedIsCopiedIntoTheMappedClassAndEnqueued() throws SQLException {
        AssignedJob unmapped = new AssignedJob(id) {};
        factory.runInTransaction(
                em -> em.unwrap(SessionImplementor.class).merge(AssignedJob.class.getName(), unmapped));
        assertEquals(1, database.rowsOf("assigned_job", id));
        assertEquals(1, database.commands(List.of(id)));
    }

    @Test
    void theCopyHasACollectionOfItsOwnAfterwards() throws SQLException {
        TaggedJob given = new TaggedJob(id, List.of("a", "b"));
        factory.runInTransaction(em -> {
            TaggedJob copy = em.merge(given);
            em.flush();
            copy.tags().add("c");
        });
        assertEquals(2, given.tags().size());
        assertEquals("3", tags());
    }

    private String tags() throws SQLException {
        return database.database().value("SELECT COUNT(*) FROM tagged_job_tags WHERE job_id = '" + id + "'");
    }

    private String document() throws SQLException {
        return database.database().value("SELECT request_json FROM sender_outbox WHERE operation_id = '" + id + "'");
    }
}
