package hk.yuntuo.orbit.outbox.jpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hk.yuntuo.orbit.outbox.jpa.enhanced.Author;
import hk.yuntuo.orbit.outbox.jpa.enhanced.Correspondence;
import hk.yuntuo.orbit.outbox.jpa.enhanced.Letter;
import hk.yuntuo.orbit.outbox.jpa.enhanced.LetterPage;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.hibernate.Hibernate;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.engine.spi.ManagedEntity;
import org.hibernate.engine.spi.PersistentAttributeInterceptable;
import org.hibernate.engine.spi.SelfDirtinessTracker;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sources whose classes Hibernate has enhanced: lazy attributes, dirty tracking, association management. */
class EnhancedIT {
    private static final EnhancingClassLoader LOADER = new EnhancingClassLoader(
            Set.of(Letter.class.getName(), LetterPage.class.getName(), Author.class.getName()));

    private static TestDatabase database;
    private static StandardServiceRegistry registry;
    private static EntityManagerFactory unit;
    private static StatementLog log;
    private static Class<?> letterClass;
    private static Class<?> authorClass;

    private Scene scene;

    @BeforeAll
    static void open() throws SQLException, ClassNotFoundException {
        database = TestDatabase.create("enhanced");
        database.update("CREATE TABLE letter (operation_id CHAR(32) PRIMARY KEY, note VARCHAR(100), body VARCHAR(100),"
                + " author_id VARCHAR(32))");
        database.update("CREATE TABLE letter_page (id VARCHAR(32) PRIMARY KEY, letter_id CHAR(32))");
        database.update("CREATE TABLE author (id VARCHAR(32) PRIMARY KEY, name VARCHAR(100))");
        database.update("INSERT INTO author VALUES ('a-1', 'Ada')");
        letterClass = LOADER.loadClass(Letter.class.getName());
        authorClass = LOADER.loadClass(Author.class.getName());
        registry = new StandardServiceRegistryBuilder(new BootstrapServiceRegistryBuilder()
                        .applyClassLoader(LOADER)
                        .build())
                .applySettings(Queues.properties(Requests.NAMESPACE, Requests.QUEUE))
                .applySetting("hibernate.connection.datasource", database.pool("", 5))
                .build();
        unit = new MetadataSources(registry)
                .addAnnotatedClasses(letterClass, LOADER.loadClass(LetterPage.class.getName()), authorClass)
                .buildMetadata()
                .buildSessionFactory();
        log = StatementLog.open(database);
    }

    @AfterAll
    static void close() throws SQLException {
        log.close();
        unit.close();
        StandardServiceRegistryBuilder.destroy(registry);
        database.close();
    }

    @BeforeEach
    void startScene() throws SQLException {
        scene = new Scene(unit);
        log.clear();
    }

    private Correspondence newLetter() {
        return blankLetter().begin(scene.newId(), "Dear all");
    }

    private static Correspondence blankLetter() {
        try {
            return (Correspondence) letterClass.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private String id() {
        return scene.operationIds().get(0);
    }

    private Correspondence found(EntityManager em) {
        return (Correspondence) em.find(letterClass, id());
    }

    private void assertStory(String story, int commands) throws SQLException {
        assertEquals(story, scene.story(log));
        assertEquals(
                String.valueOf(commands),
                database.value("SELECT COUNT(*) FROM sender_outbox WHERE operation_id = '" + id() + "'"));
    }

    private void assertRequested(String payload) throws SQLException {
        String document = database.value("SELECT request_json FROM sender_outbox WHERE operation_id = '" + id() + "'");
        assertTrue(document.endsWith("\"payload\":" + payload + "}"), document);
    }

    @Test
    void theClassesOfTheseTestsAreEnhanced() {
        Object letter = blankLetter();
        assertFalse(letter instanceof Letter);
        assertInstanceOf(ManagedEntity.class, letter);
        assertInstanceOf(PersistentAttributeInterceptable.class, letter);
        assertInstanceOf(SelfDirtinessTracker.class, letter);
        assertSame(letterClass, mapped(Letter.class));
        assertSame(authorClass, mapped(Author.class));
    }

    private static Class<?> mapped(Class<?> plain) {
        return unit.unwrap(SessionFactoryImplementor.class)
                .getMappingMetamodel()
                .getEntityDescriptor(plain.getName())
                .getMappedClass();
    }

    @Test
    void aPersistEnqueuesOnceAndFirst() throws SQLException {
        scene.transaction(em -> em.persist(newLetter()));
        assertStory("COMMAND, insert letter, commit", 1);
        assertRequested("{\"body\":\"Dear all\",\"pages\":0,\"author\":\"\"}");
    }

    @Test
    void aMergeOfANewOneEnqueuesItsCopy() throws SQLException {
        scene.transaction(em -> em.merge(newLetter()));
        assertStory("COMMAND, insert letter, commit", 1);
        assertRequested("{\"body\":\"Dear all\",\"pages\":0,\"author\":\"\"}");
    }

    @Test
    void thePersistLoadsALazyAssociationThatTheRequestReads() throws SQLException {
        Correspondence letter = newLetter();
        scene.transaction(em -> {
            Object author = em.getReference(authorClass, "a-1");
            assertFalse(Hibernate.isInitialized(author));
            letter.author(author);
            em.persist(letter);
            assertTrue(Hibernate.isInitialized(author));
        });
        assertStory("COMMAND, insert letter, commit", 1);
        assertRequested("{\"body\":\"Dear all\",\"pages\":0,\"author\":\"Ada\"}");
    }

    @Test
    void theMergeLoadsALazyAssociationThatTheRequestReads() throws SQLException {
        Correspondence letter = newLetter();
        try (EntityManager other = unit.createEntityManager()) {
            letter.author(other.getReference(authorClass, "a-1"));
        }
        scene.transaction(em -> em.merge(letter));
        assertStory("COMMAND, insert letter, commit", 1);
        assertRequested("{\"body\":\"Dear all\",\"pages\":0,\"author\":\"Ada\"}");
    }

    @Test
    void aManagedAssociationIsInTheRequestThoughOneSideOfItWasSet() throws SQLException {
        Correspondence letter = newLetter();
        letter.addPage("p-" + id().substring(0, 20));
        assertEquals(1, letter.pageCount());
        scene.transaction(em -> em.persist(letter));
        assertStory("COMMAND, insert letter, insert letter_page, commit", 1);
        assertRequested("{\"body\":\"Dear all\",\"pages\":1,\"author\":\"\"}");
    }

    @Test
    void aChangeOfAFoundOneEnqueuesNothingAndLoadsNothingLazy() throws SQLException {
        scene.transaction(em -> em.persist(newLetter()));
        scene.transaction(em -> {
            Correspondence letter = found(em);
            letter.note("changed");
            em.flush();
            assertFalse(Hibernate.isPropertyInitialized(letter, "body"));
            assertEquals("Dear all", letter.body());
            assertTrue(Hibernate.isPropertyInitialized(letter, "body"));
        });
        assertStory("COMMAND, insert letter, commit, update letter, commit", 1);
    }

    @Test
    void aMergeOfADetachedOneWithoutItsLazyTextEnqueuesNothingAndKeepsTheText() throws SQLException {
        scene.transaction(em -> em.persist(newLetter()));
        List<Correspondence> detached = new ArrayList<>();
        scene.transaction(em -> detached.add(found(em)));
        detached.get(0).note("changed");
        assertFalse(Hibernate.isPropertyInitialized(detached.get(0), "body"));

        scene.transaction(em -> em.merge(detached.get(0)));
        assertStory("COMMAND, insert letter, commit, commit, update letter, commit", 1);
        assertEquals(
                "changed|Dear all",
                database.value("SELECT note, body FROM letter WHERE operation_id = '" + id() + "'"));
    }

    @Test
    void aPersistAndRemoveWithdraws() throws SQLException {
        scene.transaction(em -> {
            Correspondence letter = newLetter();
            em.persist(letter);
            em.flush();
            em.remove(letter);
        });
        assertStory("COMMAND, insert letter, delete letter, WITHDRAWAL, commit", 0);
    }

    @Test
    void aClearBeforeTheFlushWithdraws() throws SQLException {
        scene.transaction(em -> {
            em.persist(newLetter());
            em.clear();
        });
        assertStory("COMMAND, WITHDRAWAL, commit", 0);
    }

    @Test
    void anInstanceThatWasPersistedAgainAfterAClearHasOneCommand() throws SQLException {
        scene.transaction(em -> {
            Correspondence letter = newLetter();
            em.persist(letter);
            em.clear();
            em.persist(letter);
        });
        assertStory("COMMAND, WITHDRAWAL, COMMAND, insert letter, commit", 1);
    }

    @Test
    void aStatelessInsertEnqueuesOnceAndFirst() throws SQLException {
        scene.stateless(session -> session.insert(newLetter()));
        assertStory("COMMAND, insert letter, commit", 1);
    }
}
