package hk.yuntuo.orbit.outbox.jpa.sources;

import hk.yuntuo.orbit.outbox.jpa.OutboxListener;
import hk.yuntuo.orbit.outbox.jpa.OutboxSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.CascadeType;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The sources, by how they get their id, how they inherit and what they belong to. */
public final class Jobs {
    /** All entities of this file, for the units of the tests. */
    public static final List<Class<?>> ALL = List.of(
            AssignedJob.class,
            TableIdJob.class,
            UuidJob.class,
            IdentityJob.class,
            MailJob.class,
            JoinedJob.class,
            JoinedReport.class,
            SingleJob.class,
            SingleReport.class,
            TaggedJob.class,
            Batch.class,
            NumberedBatch.class,
            MixedBatch.class);

    /** Their tables. */
    public static final List<String> TABLES = List.of(
            "assigned_job (operation_id CHAR(32) PRIMARY KEY, note VARCHAR(100) UNIQUE, batch_id VARCHAR(32), numbered_id BIGINT)",
            "table_id_job (id BIGINT PRIMARY KEY, operation_id CHAR(32), note VARCHAR(100), mixed_id VARCHAR(32))",
            "job_ids (next_val BIGINT)",
            "uuid_job (id BINARY(16) PRIMARY KEY, operation_id CHAR(32), note VARCHAR(100), mixed_id VARCHAR(32))",
            "identity_job (id BIGINT AUTO_INCREMENT PRIMARY KEY, operation_id CHAR(32), note VARCHAR(100), mixed_id VARCHAR(32))",
            "mail_job (operation_id CHAR(32) PRIMARY KEY, recipient VARCHAR(100), subject VARCHAR(100))",
            "joined_job (operation_id CHAR(32) PRIMARY KEY, note VARCHAR(100))",
            "joined_report (operation_id CHAR(32) PRIMARY KEY, pages INT)",
            "single_job (operation_id CHAR(32) PRIMARY KEY, kind VARCHAR(31), note VARCHAR(100), pages INT)",
            "tagged_job (operation_id CHAR(32) PRIMARY KEY, note VARCHAR(100))",
            "tagged_job_tags (job_id CHAR(32), tag VARCHAR(100))",
            "batch (id VARCHAR(32) PRIMARY KEY)",
            "mixed_batch (id VARCHAR(32) PRIMARY KEY)",
            "numbered_batch (id BIGINT AUTO_INCREMENT PRIMARY KEY)");

    private Jobs() {}

    /** The operation id is the primary key. */
    @Entity
    @Table(name = "assigned_job")
    public static class AssignedJob extends Job {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        protected AssignedJob() {}

        public AssignedJob(String operationId) {
            super(operationId);
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }
    }

    /** An id from a table, as SEQUENCE gives on MySQL. */
    @Entity
    @Table(name = "table_id_job")
    public static class TableIdJob extends Job {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "job_ids")
        @SequenceGenerator(name = "job_ids", sequenceName = "job_ids", allocationSize = 1)
        private @Nullable Long id;

        @Column(name = "operation_id")
        private String operationId = "";

        protected TableIdJob() {}

        public TableIdJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{\"id\":" + id + "}");
        }
    }

    /** A random id. */
    @Entity
    @Table(name = "uuid_job")
    public static class UuidJob extends Job {
        @Id
        @GeneratedValue
        private @Nullable UUID id;

        @Column(name = "operation_id")
        private String operationId = "";

        protected UuidJob() {}

        public UuidJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{\"id\":\"" + id + "\"}");
        }
    }

    /** An id that only the INSERT gives. */
    @Entity
    @Table(name = "identity_job")
    public static class IdentityJob extends Job {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private @Nullable Long id;

        @Column(name = "operation_id")
        private String operationId = "";

        protected IdentityJob() {}

        public IdentityJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }
    }

    /** The request comes from an embedded part. */
    @Entity
    @EntityListeners(OutboxListener.class)
    @Table(name = "mail_job")
    public static class MailJob implements OutboxSource {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        @Embedded
        private Mail mail = new Mail("", "");

        protected MailJob() {}

        public MailJob(String operationId, Mail mail) {
            this.operationId = operationId;
            this.mail = mail;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{\"to\":\"" + mail.recipient() + "\",\"subject\":\"" + mail.subject() + "\"}");
        }
    }

    /** An embeddable record. */
    @Embeddable
    public record Mail(String recipient, String subject) {}

    /** The root of a joined hierarchy. */
    @Entity
    @Table(name = "joined_job")
    @Inheritance(strategy = InheritanceType.JOINED)
    public static class JoinedJob extends Job {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        protected JoinedJob() {}

        public JoinedJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }
    }

    /** Its subclass has a row in both tables. */
    @Entity
    @Table(name = "joined_report")
    public static class JoinedReport extends JoinedJob {
        private int pages;

        protected JoinedReport() {}

        public JoinedReport(String operationId, int pages) {
            super(operationId);
            this.pages = pages;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{\"pages\":" + pages + "}");
        }
    }

    /** The root of a hierarchy in one table. */
    @Entity
    @Table(name = "single_job")
    @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
    @jakarta.persistence.DiscriminatorColumn(name = "kind")
    public static class SingleJob extends Job {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        protected SingleJob() {}

        public SingleJob(String operationId) {
            this.operationId = operationId;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }
    }

    /** Its subclass. */
    @Entity
    public static class SingleReport extends SingleJob {
        private int pages;

        protected SingleReport() {}

        public SingleReport(String operationId, int pages) {
            super(operationId);
            this.pages = pages;
        }
    }

    /** It has an element collection, which is read for the request. */
    @Entity
    @Table(name = "tagged_job")
    public static class TaggedJob extends Job {
        @Id
        @Column(name = "operation_id")
        private String operationId = "";

        @ElementCollection
        @CollectionTable(name = "tagged_job_tags", joinColumns = @JoinColumn(name = "job_id"))
        @Column(name = "tag")
        private List<String> tags = new ArrayList<>();

        protected TaggedJob() {}

        public TaggedJob(String operationId, List<String> tags) {
            this.operationId = operationId;
            this.tags.addAll(tags);
        }

        public List<String> tags() {
            return tags;
        }

        @Override
        public String outboxOperationId() {
            return operationId;
        }

        @Override
        public SubmitTaskRequest outboxRequest() {
            return Requests.of("{\"tags\":" + tags.size() + "}");
        }
    }

    /** No source itself; its jobs are persisted with it. */
    @Entity
    @Table(name = "batch")
    public static class Batch {
        @Id
        private String id = "";

        @OneToMany(cascade = CascadeType.ALL, orphanRemoval = true)
        @JoinColumn(name = "batch_id")
        private List<AssignedJob> jobs = new ArrayList<>();

        protected Batch() {}

        public Batch(String id) {
            this.id = id;
        }

        public List<AssignedJob> jobs() {
            return jobs;
        }
    }

    /** Like {@link Batch}, with an id that only its INSERT gives. */
    @Entity
    @Table(name = "numbered_batch")
    public static class NumberedBatch {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private @Nullable Long id;

        @OneToMany(cascade = CascadeType.ALL)
        @JoinColumn(name = "numbered_id")
        private List<AssignedJob> jobs = new ArrayList<>();

        public NumberedBatch() {}

        public List<AssignedJob> jobs() {
            return jobs;
        }
    }

    /** Its children get their ids in other ways. */
    @Entity
    @Table(name = "mixed_batch")
    public static class MixedBatch {
        @Id
        private String id = "";

        @OneToMany(cascade = CascadeType.PERSIST)
        @JoinColumn(name = "mixed_id")
        private List<TableIdJob> tableIdJobs = new ArrayList<>();

        @OneToMany(cascade = CascadeType.PERSIST)
        @JoinColumn(name = "mixed_id")
        private List<UuidJob> uuidJobs = new ArrayList<>();

        @OneToMany(cascade = CascadeType.PERSIST)
        @JoinColumn(name = "mixed_id")
        private List<IdentityJob> identityJobs = new ArrayList<>();

        protected MixedBatch() {}

        public MixedBatch(String id) {
            this.id = id;
        }

        public MixedBatch with(TableIdJob job) {
            tableIdJobs.add(job);
            return this;
        }

        public MixedBatch with(UuidJob job) {
            uuidJobs.add(job);
            return this;
        }

        public MixedBatch with(IdentityJob job) {
            identityJobs.add(job);
            return this;
        }
    }
}
