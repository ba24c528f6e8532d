package hk.yuntuo.orbit.outbox;

import hk.yuntuo.orbit.outbox.jpa.sources.Job;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.OptimisticLock;
import org.jspecify.annotations.Nullable;

/** Business rows and sources that a guard looks at. */
final class GuardRows {
    static final List<Class<?>> ALL = List.of(Note.class, NumberedNote.class, Folder.class, FiledJob.class);

    static final List<String> TABLES = List.of(
            "guard_note (id BIGINT PRIMARY KEY, code VARCHAR(32) UNIQUE, text VARCHAR(100), version INT)",
            "guard_note_tags (note_id BIGINT, tag VARCHAR(100))",
            "guard_numbered (id BIGINT AUTO_INCREMENT PRIMARY KEY, text VARCHAR(100))",
            "guard_folder (id BIGINT PRIMARY KEY)",
            "guard_filed (operation_id CHAR(32) PRIMARY KEY, note VARCHAR(100), version INT, folder_id BIGINT)",
            "guard_filed_pages (operation_id CHAR(32), page VARCHAR(100))");

    private GuardRows() {}

    /** A business row with a version and an element collection. */
    @Entity(name = "Note")
    @Table(name = "guard_note")
    public static class Note {
        @Id
        private long id;

        @NaturalId
        private String code = "";

        private String text = "";

        @Version
        private int version;

        @ElementCollection
        @OptimisticLock(excluded = true)
        @CollectionTable(name = "guard_note_tags", joinColumns = @JoinColumn(name = "note_id"))
        @Column(name = "tag")
        private List<String> tags = new ArrayList<>();

        protected Note() {}

        public Note(long id) {
            this.id = id;
            this.code = "code-" + id;
        }

        public void text(String value) {
            text = value;
        }

        public List<String> tags() {
            return tags;
        }
    }

    /** A business row whose id only its INSERT gives. */
    @Entity(name = "NumberedNote")
    @Table(name = "guard_numbered")
    public static class NumberedNote {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private @Nullable Long id;

        private String text = "";

        public NumberedNote() {}
    }

    /** Its collection is written by the jobs. */
    @Entity(name = "Folder")
    @Table(name = "guard_folder")
    public static class Folder {
        @Id
        private long id;

        @OneToMany(mappedBy = "folder")
        private List<FiledJob> jobs = new ArrayList<>();

        protected Folder() {}

        public List<FiledJob> jobs() {
            return jobs;
        }
    }

    /** A source with a version, an element collection and a place in a folder. */
    @Entity(name = "FiledJob")
    @Table(name = "guard_filed")
    public static class FiledJob extends Job {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        @Version
        private int version;

        @ElementCollection
        @CollectionTable(name = "guard_filed_pages", joinColumns = @JoinColumn(name = "operation_id"))
        @Column(name = "page")
        private List<String> pages = new ArrayList<>();

        @ManyToOne
        @JoinColumn(name = "folder_id")
        private @Nullable Folder folder;

        protected FiledJob() {}

        public FiledJob(String operationId) {
            this.operationId = operationId;
        }

        public List<String> pages() {
            return pages;
        }

        public void folder(Folder value) {
            folder = value;
            value.jobs().add(this);
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }
    }
}
