package hk.yuntuo.orbit.outbox;

import hk.yuntuo.orbit.outbox.GuardRows.Note;
import hk.yuntuo.orbit.outbox.GuardRows.NumberedNote;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.JoinedReport;
import jakarta.persistence.LockModeType;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.hibernate.LockMode;
import org.hibernate.Session;

/**
 * Business work that must not come before an enqueue.
 *
 * @param told what the error is to say of it
 * @param work is done with the note of that id
 */
record EarlierWork(String what, String told, BiConsumer<Session, Long> work) {
    private static final String NOTE = Note.class.getName();
    private static final String NOTE_UPDATE = "update of " + NOTE;

    @Override
    public String toString() {
        return what;
    }

    static Stream<EarlierWork> all() {
        return Stream.of(entities(), bulk(), locks()).flatMap(earlier -> earlier);
    }

    private static Stream<EarlierWork> entities() {
        return Stream.of(
                new EarlierWork("insert", "insert of " + NOTE, (session, id) -> {
                    session.persist(new Note(GuardDatabase.newId()));
                    session.flush();
                }),
                new EarlierWork(
                        "insert for an id",
                        "insert of " + NumberedNote.class.getName(),
                        (session, id) -> session.persist(new NumberedNote())),
                new EarlierWork("update", NOTE_UPDATE, (session, id) -> {
                    session.find(Note.class, id).text("new");
                    session.flush();
                }),
                new EarlierWork("update by an automatic flush", NOTE_UPDATE, (session, id) -> {
                    session.find(Note.class, id).text("new");
                    session.createQuery("from Note", Note.class).getResultList();
                }),
                new EarlierWork("merge", NOTE_UPDATE, (session, id) -> {
                    Note note = session.find(Note.class, id);
                    session.detach(note);
                    note.text("new");
                    session.merge(note);
                    session.flush();
                }),
                new EarlierWork("delete", NOTE, (session, id) -> {
                    session.remove(session.find(Note.class, id));
                    session.flush();
                }),
                new EarlierWork("delete of a reference", NOTE, (session, id) -> {
                    session.remove(session.getReference(Note.class, id));
                    session.flush();
                }),
                new EarlierWork("element collection", NOTE + ".tags", (session, id) -> {
                    session.find(Note.class, id).tags().add("new");
                    session.flush();
                }),
                new EarlierWork("version of a read entity", "update guard_note set version", (session, id) -> {
                    session.lock(session.find(Note.class, id), LockMode.PESSIMISTIC_FORCE_INCREMENT);
                    session.flush();
                }));
    }

    private static Stream<EarlierWork> bulk() {
        return Stream.of(
                new EarlierWork(
                        "bulk update",
                        "update guard_note",
                        (session, id) -> session.createMutationQuery("update Note set text = 'secret' where id = :id")
                                .setParameter("id", id)
                                .executeUpdate()),
                new EarlierWork(
                        "bulk delete",
                        "from guard_note_tags",
                        (session, id) -> session.createMutationQuery("delete from Note where id = :id")
                                .setParameter("id", id)
                                .executeUpdate()),
                new EarlierWork(
                        "bulk insert",
                        "insert into guard_numbered",
                        (session, id) -> session.createMutationQuery(
                                        "insert into NumberedNote (text) select text from Note where id = :id")
                                .setParameter("id", id)
                                .executeUpdate()),
                new EarlierWork(
                        "bulk update of sources",
                        "assigned_job",
                        (session, id) -> session.createMutationQuery("update " + AssignedJob.class.getName()
                                        + " set note = 'none' where operationId = 'none'")
                                .executeUpdate()),
                new EarlierWork(
                        "bulk update of a hierarchy",
                        "joined_report",
                        (session, id) -> session.createMutationQuery("update " + JoinedReport.class.getName()
                                        + " set pages = 2, note = 'none' where pages = -1")
                                .executeUpdate()),
                new EarlierWork(
                        "native query",
                        "update guard_note set text=?",
                        (session, id) -> session.createNativeQuery(
                                        "update guard_note set text='secret' where id=" + id, Object.class)
                                .executeUpdate()),
                new EarlierWork(
                        "native mutation",
                        "delete from guard_note",
                        (session, id) -> session.createNativeMutationQuery("delete from guard_note where id=" + id)
                                .executeUpdate()));
    }

    private static Stream<EarlierWork> locks() {
        return Stream.of(
                new EarlierWork(
                        "find for update",
                        "for update",
                        (session, id) -> session.find(Note.class, id, LockModeType.PESSIMISTIC_WRITE)),
                new EarlierWork(
                        "find for share",
                        "for share",
                        (session, id) -> session.find(Note.class, id, LockModeType.PESSIMISTIC_READ)),
                new EarlierWork(
                        "lock",
                        "for update",
                        (session, id) -> session.lock(session.find(Note.class, id), LockModeType.PESSIMISTIC_WRITE)),
                new EarlierWork(
                        "lock of a reference",
                        "for share",
                        (session, id) ->
                                session.lock(session.getReference(Note.class, id), LockModeType.PESSIMISTIC_READ)),
                new EarlierWork("find again for update", "for update", (session, id) -> {
                    session.find(Note.class, id);
                    session.find(Note.class, id, LockModeType.PESSIMISTIC_WRITE);
                }),
                new EarlierWork(
                        "refresh for update",
                        "for update",
                        (session, id) -> session.refresh(session.find(Note.class, id), LockModeType.PESSIMISTIC_WRITE)),
                new EarlierWork(
                        "query for update",
                        "for update",
                        (session, id) -> session.createQuery("from Note where id = :id", Note.class)
                                .setParameter("id", id)
                                .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                                .getSingleResult()),
                new EarlierWork(
                        "query for share",
                        "for share",
                        (session, id) -> session.createQuery("from Note where id = :id", Note.class)
                                .setParameter("id", id)
                                .setLockMode(LockModeType.PESSIMISTIC_READ)
                                .getResultStream()
                                .close()),
                new EarlierWork(
                        "native select for update",
                        "FROM guard_note WHERE id=",
                        (session, id) -> session.createNativeQuery(
                                        "SELECT id FROM guard_note WHERE id=" + id + " FOR UPDATE", Long.class)
                                .getResultList()));
    }
}
