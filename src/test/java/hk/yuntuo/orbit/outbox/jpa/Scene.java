package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.Outbox;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.support.StatementLog;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;

/** What one path through JPA does, and the statements the server received of it. */
final class Scene {
    private static final Pattern WRITE =
            Pattern.compile("(insert into|update|delete from) (\\w+)\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final EntityManagerFactory factory;
    private final Outbox outbox;
    private final List<String> operationIds = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();

    Scene(EntityManagerFactory factory) {
        this.factory = factory;
        this.outbox = Requests.outbox(factory);
    }

    Outbox outbox() {
        return outbox;
    }

    /** A new operation of this scene. */
    String newId() {
        String id = OperationId.next().value();
        operationIds.add(id);
        return id;
    }

    AssignedJob newJob() {
        return new AssignedJob(newId());
    }

    List<String> operationIds() {
        return operationIds;
    }

    void transaction(Consumer<EntityManager> work) {
        try (EntityManager em = factory.createEntityManager()) {
            em.getTransaction().begin();
            try {
                work.accept(em);
            } catch (RuntimeException e) {
                errors.add(e.getClass().getSimpleName());
                em.getTransaction().rollback();
                return;
            }
            commit(em);
        }
    }

    private void commit(EntityManager em) {
        try {
            em.getTransaction().commit();
        } catch (RuntimeException e) {
            Throwable cause = e;
            while (cause.getCause() != null && cause.getCause() instanceof RuntimeException) {
                cause = cause.getCause();
            }
            errors.add(cause.getClass().getSimpleName());
        }
    }

    void stateless(Consumer<StatelessSession> work) {
        try (StatelessSession session = factory.unwrap(SessionFactory.class).openStatelessSession()) {
            session.beginTransaction();
            try {
                work.accept(session);
            } catch (RuntimeException e) {
                errors.add(e.getClass().getSimpleName());
                session.getTransaction().rollback();
                return;
            }
            session.getTransaction().commit();
        }
    }

    /** Writes, COMMITs and errors, one word or two each. */
    String story(StatementLog log) throws SQLException {
        List<String> story = new ArrayList<>();
        for (String sql : log.all()) {
            String lower = sql.toLowerCase(Locale.ROOT);
            Matcher write = WRITE.matcher(lower);
            if (lower.equals("commit") || lower.equals("rollback")) {
                story.add(lower);
            } else if (write.matches()) {
                story.add(told(write.group(1), write.group(2)));
            }
        }
        story.addAll(errors);
        return String.join(", ", story);
    }

    private static String told(String verb, String table) {
        if (table.equals("sender_outbox")) {
            return verb.startsWith("insert") ? "COMMAND" : verb.startsWith("delete") ? "WITHDRAWAL" : verb;
        }
        return verb.split(" ")[0] + " " + table;
    }
}
