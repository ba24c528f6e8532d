package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.AssignedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.Batch;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.IdentityJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.JoinedReport;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.Mail;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.MailJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.MixedBatch;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.NumberedBatch;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.SingleReport;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TableIdJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.TaggedJob;
import hk.yuntuo.orbit.outbox.jpa.sources.Jobs.UuidJob;
import hk.yuntuo.orbit.outbox.model.OperationId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.hibernate.FlushMode;
import org.hibernate.ReplicationMode;
import org.hibernate.Session;

/** Every way an entity goes through JPA that matters to its command. The table of docs/entity-listener.md is made from it. */
final class ListenerPaths {
    private final List<Path> paths = new ArrayList<>();

    private ListenerPaths() {}

    /**
     * One path.
     *
     * @param what what the application does
     * @param story the statements the server is to receive, and what the application is to be thrown
     * @param batchedStory the same with batched statements, which differs where Hibernate fails within a batch
     * @param commands how many commands are left
     */
    record Path(String what, String story, String batchedStory, int commands, Consumer<Scene> work) {
        @Override
        public String toString() {
            return what;
        }

        String row() {
            return "| " + what + " | " + story.replace("_", "\\_") + " | " + commands + " |";
        }
    }

    static List<Path> all() {
        ListenerPaths all = new ListenerPaths();
        all.persisted();
        all.merged();
        all.removedOrForgotten();
        all.cascaded();
        all.cascadedToOtherIds();
        all.identifiedAndMapped();
        all.stateless();
        all.refusedAndBypassed();
        return all.paths;
    }

    private void add(String what, String story, int commands, Consumer<Scene> work) {
        paths.add(new Path(what, story, story, commands, work));
    }

    private void persisted() {
        add("`persist`", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> em.persist(job));
        });
        add("`persist`, `flush`, `flush`", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.flush();
                em.flush();
            });
        });
        add("`persist`, `persist` again", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.persist(job);
            });
        });
        add("`persist`, `flush`, `refresh`", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.flush();
                em.refresh(job);
            });
        });
        add(
                "`persist`, `refresh` before any flush: Hibernate refuses it",
                "COMMAND, rollback, EntityNotFoundException",
                0,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> {
                        em.persist(job);
                        em.refresh(job);
                    });
                });
        add("`persist`, roll back", "COMMAND, rollback", 0, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.getTransaction().setRollbackOnly();
            });
        });
        add(
                "`persist` of two",
                "COMMAND, COMMAND, insert assigned_job, insert assigned_job, commit",
                2,
                scene -> scene.transaction(em -> {
                    em.persist(scene.newJob());
                    em.persist(scene.newJob());
                }));
        add("`Outbox.enqueue`, then `persist`", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                scene.outbox().enqueue(em, job.outboxOperationId(), job.outboxRequest());
                em.persist(job);
            });
        });
    }

    private void merged() {
        add(
                "`merge` of a new instance",
                "COMMAND, insert assigned_job, commit",
                1,
                scene -> scene.transaction(em -> em.merge(scene.newJob())));
        add(
                "`merge` of a changed, detached one",
                "COMMAND, insert assigned_job, commit, update assigned_job, commit",
                1,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> em.persist(job));
                    job.note("changed " + job.outboxOperationId());
                    scene.transaction(em -> em.merge(job));
                });
        add(
                "`find` and change in a later transaction",
                "COMMAND, insert assigned_job, commit, update assigned_job, commit",
                1,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> em.persist(job));
                    scene.transaction(em -> em.find(AssignedJob.class, job.outboxOperationId())
                            .note("changed " + job.outboxOperationId()));
                });
    }

    private void removedOrForgotten() {
        add(
                "`persist`, `remove`",
                "COMMAND, insert assigned_job, delete assigned_job, WITHDRAWAL, commit",
                0,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> {
                        em.persist(job);
                        em.remove(job);
                    });
                });
        add(
                "`persist`, `flush`, `remove`",
                "COMMAND, insert assigned_job, delete assigned_job, WITHDRAWAL, commit",
                0,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> {
                        em.persist(job);
                        em.flush();
                        em.remove(job);
                    });
                });
        add("`persist`, `remove`, `persist` again", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.remove(job);
                em.persist(job);
            });
        });
        add(
                "`persist`, `flush`, `remove`, `flush`, `persist` again",
                "COMMAND, insert assigned_job, delete assigned_job, WITHDRAWAL, COMMAND, insert assigned_job, commit",
                1,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> {
                        em.persist(job);
                        em.flush();
                        em.remove(job);
                        em.flush();
                        em.persist(job);
                    });
                });
        add(
                "`remove` in a later transaction",
                "COMMAND, insert assigned_job, commit, delete assigned_job, commit",
                1,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> em.persist(job));
                    scene.transaction(em -> em.remove(em.find(AssignedJob.class, job.outboxOperationId())));
                });
        add("`persist`, `clear`", "COMMAND, WITHDRAWAL, commit", 0, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.clear();
            });
        });
        add(
                "`persist`, `clear`, `persist` again",
                "COMMAND, WITHDRAWAL, COMMAND, insert assigned_job, commit",
                1,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> {
                        em.persist(job);
                        em.clear();
                        em.persist(job);
                    });
                });
        add("`persist`, `flush`, `clear`", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.flush();
                em.clear();
            });
        });
        paths.add(new Path(
                "`persist`, `detach`: Hibernate's flush fails",
                "COMMAND, insert assigned_job, rollback, AssertionFailure",
                "COMMAND, rollback, AssertionFailure",
                0,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> {
                        em.persist(job);
                        em.detach(job);
                    });
                }));
        add("`persist`, `flush`, `detach`", "COMMAND, insert assigned_job, commit", 1, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.persist(job);
                em.flush();
                em.detach(job);
            });
        });
        add("`persist` with flush mode MANUAL, never flushed", "COMMAND, WITHDRAWAL, commit", 0, scene -> {
            AssignedJob job = scene.newJob();
            scene.transaction(em -> {
                em.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
                em.persist(job);
            });
        });
    }

    private void cascaded() {
        add(
                "`persist` of a parent with two sources",
                "COMMAND, COMMAND, insert batch, insert assigned_job, insert assigned_job, update assigned_job, update assigned_job, commit",
                2,
                scene -> scene.transaction(em -> em.persist(batch(scene))));
        add(
                "`merge` of a new parent with two sources",
                "COMMAND, COMMAND, insert batch, insert assigned_job, insert assigned_job, update assigned_job, update assigned_job, commit",
                2,
                scene -> scene.transaction(em -> em.merge(batch(scene))));
        add(
                "a source added to a managed parent, found by the flush",
                "insert batch, commit, COMMAND, insert assigned_job, update assigned_job, commit",
                1,
                scene -> {
                    String id = OperationId.next().value();
                    scene.transaction(em -> em.persist(new Batch(id)));
                    scene.transaction(em -> em.find(Batch.class, id).jobs().add(scene.newJob()));
                });
        add(
                "a source added to a managed parent and taken off before the flush",
                "insert batch, commit, commit",
                0,
                scene -> {
                    String id = OperationId.next().value();
                    scene.transaction(em -> em.persist(new Batch(id)));
                    scene.transaction(em -> {
                        Batch found = em.find(Batch.class, id);
                        found.jobs().add(scene.newJob());
                        found.jobs().clear();
                    });
                });
        add(
                "`persist` of a parent with an IDENTITY id: its own INSERT comes first, the guard warns",
                "insert numbered_batch, COMMAND, insert assigned_job, update assigned_job, commit",
                1,
                scene -> {
                    NumberedBatch batch = new NumberedBatch();
                    batch.jobs().add(scene.newJob());
                    scene.transaction(em -> em.persist(batch));
                });
    }

    private void cascadedToOtherIds() {
        add(
                "`persist` of a parent, the source's id by SEQUENCE",
                "update job_ids, commit, COMMAND, insert mixed_batch, insert table_id_job, update table_id_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(mixed().with(new TableIdJob(scene.newId())))));
        add(
                "`persist` of a parent, the source's id by UUID",
                "COMMAND, insert mixed_batch, insert uuid_job, update uuid_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(mixed().with(new UuidJob(scene.newId())))));
        add(
                "`persist` of a parent, the source's id by IDENTITY",
                "COMMAND, insert mixed_batch, insert identity_job, update identity_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(mixed().with(new IdentityJob(scene.newId())))));
    }

    private static MixedBatch mixed() {
        return new MixedBatch(OperationId.next().value());
    }

    private static Batch batch(Scene scene) {
        Batch batch = new Batch(OperationId.next().value());
        batch.jobs().add(scene.newJob());
        batch.jobs().add(scene.newJob());
        return batch;
    }

    private void identifiedAndMapped() {
        add(
                "id by SEQUENCE (a table on MySQL)",
                "update job_ids, commit, COMMAND, insert table_id_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(new TableIdJob(scene.newId()))));
        add(
                "id by UUID",
                "COMMAND, insert uuid_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(new UuidJob(scene.newId()))));
        add(
                "id by IDENTITY",
                "COMMAND, insert identity_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(new IdentityJob(scene.newId()))));
        add(
                "id by IDENTITY, `persist`, `remove`",
                "COMMAND, insert identity_job, delete identity_job, WITHDRAWAL, commit",
                0,
                scene -> scene.transaction(em -> {
                    IdentityJob job = new IdentityJob(scene.newId());
                    em.persist(job);
                    em.remove(job);
                }));
        add(
                "id by IDENTITY, two of them",
                "COMMAND, insert identity_job, COMMAND, insert identity_job, commit",
                2,
                scene -> scene.transaction(em -> {
                    em.persist(new IdentityJob(scene.newId()));
                    em.persist(new IdentityJob(scene.newId()));
                }));
        add(
                "request from an embedded record",
                "COMMAND, insert mail_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(new MailJob(scene.newId(), new Mail("to", "hello")))));
        add(
                "subclass of a joined hierarchy",
                "COMMAND, insert joined_job, insert joined_report, commit",
                1,
                scene -> scene.transaction(em -> em.persist(new JoinedReport(scene.newId(), 7))));
        add(
                "subclass in a single table",
                "COMMAND, insert single_job, commit",
                1,
                scene -> scene.transaction(em -> em.persist(new SingleReport(scene.newId(), 7))));
        add(
                "with an element collection",
                "COMMAND, insert tagged_job, insert tagged_job_tags, insert tagged_job_tags, commit",
                1,
                scene -> scene.transaction(em -> em.persist(new TaggedJob(scene.newId(), List.of("a", "b")))));
    }

    private void stateless() {
        add(
                "`StatelessSession.insert`",
                "COMMAND, insert assigned_job, commit",
                1,
                scene -> scene.stateless(session -> session.insert(scene.newJob())));
        add(
                "`StatelessSession.insert`, id by IDENTITY",
                "COMMAND, insert identity_job, commit",
                1,
                scene -> scene.stateless(session -> session.insert(new IdentityJob(scene.newId()))));
        add(
                "`StatelessSession.insertMultiple` of two",
                "COMMAND, COMMAND, insert assigned_job, insert assigned_job, commit",
                2,
                scene -> scene.stateless(session -> session.insertMultiple(List.of(scene.newJob(), scene.newJob()))));
        add(
                "`StatelessSession.insert`, `delete`",
                "COMMAND, insert assigned_job, delete assigned_job, WITHDRAWAL, commit",
                0,
                scene -> scene.stateless(session -> {
                    AssignedJob job = scene.newJob();
                    session.insert(job);
                    session.delete(job);
                }));
        add(
                "`StatelessSession.upsert`: nothing is enqueued, a warning is logged",
                "insert assigned_job, commit",
                0,
                scene -> scene.stateless(session -> session.upsert(scene.newJob())));
    }

    private void refusedAndBypassed() {
        add(
                "`persist` of an operation that has its command",
                "COMMAND, insert assigned_job, commit, COMMAND, rollback, DuplicateOperationException",
                1,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> em.persist(job));
                    AssignedJob again = new AssignedJob(job.outboxOperationId());
                    scene.transaction(em -> em.persist(again));
                });
        add(
                "`persist` of an operation that has another command",
                "COMMAND, insert assigned_job, commit, COMMAND, rollback, OutboxConflictException",
                1,
                scene -> {
                    AssignedJob job = scene.newJob();
                    scene.transaction(em -> em.persist(job));
                    AssignedJob other = new AssignedJob(job.outboxOperationId());
                    other.note("other");
                    scene.transaction(em -> em.persist(other));
                });
        add(
                "two entities of one operation",
                "COMMAND, insert identity_job, COMMAND, rollback, DuplicateOperationException",
                0,
                scene -> {
                    String id = scene.newId();
                    scene.transaction(em -> {
                        em.persist(new IdentityJob(id));
                        em.persist(new IdentityJob(id));
                    });
                });
        add("`Session.replicate`", "rollback, IllegalStateException", 0, ListenerPaths::replicate);
        add(
                "bulk JPQL or native INSERT: bypasses entities and their listeners",
                "insert assigned_job, commit",
                0,
                scene -> {
                    String id = scene.newId();
                    scene.transaction(em -> em.createNativeQuery(
                                    "insert into assigned_job (operation_id, note) values ('" + id + "', '" + id + "')")
                            .executeUpdate());
                });
    }

    @SuppressWarnings("deprecation")
    private static void replicate(Scene scene) {
        AssignedJob job = scene.newJob();
        scene.transaction(em -> {
            em.unwrap(Session.class).replicate(job, ReplicationMode.OVERWRITE);
            em.flush();
        });
    }
}
