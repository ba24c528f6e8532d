package hk.yuntuo.orbit.outbox.faults;

import static org.junit.jupiter.api.Assertions.assertThrows;

import hk.yuntuo.orbit.outbox.model.OutboxRecord;
import hk.yuntuo.orbit.outbox.spi.OnAccepted;
import hk.yuntuo.orbit.outbox.support.BusinessJob;
import hk.yuntuo.orbit.outbox.support.TestDatabase;
import hk.yuntuo.orbit.outbox.task.SubmitTaskResult;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import java.io.IOException;
import java.sql.SQLException;

/** Callbacks that write business rows and then fail, in all the ways in which application code does. */
enum Poison implements OnAccepted {
    RUNTIME_EXCEPTION {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            throw new IllegalStateException("business says no");
        }
    },
    CHECKED_EXCEPTION {
        @Override
        void fail(EntityManager em, BusinessJob job) throws IOException {
            throw new IOException("no disk");
        }
    },
    INTERRUPTED_EXCEPTION {
        @Override
        void fail(EntityManager em, BusinessJob job) throws InterruptedException {
            throw new InterruptedException("of its own making");
        }
    },
    /** As a language without checked exceptions, or generics, can throw it. */
    SNEAKY_THROWABLE {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            throwSneakily(new Throwable("neither an exception nor an error"));
        }
    },
    ASSERTION_ERROR {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            throw new AssertionError("impossible");
        }
    },
    /** As a language can have one that says "to do". */
    ERROR_OF_ITS_OWN {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            throw new ErrorOfItsOwn();
        }
    },
    LINKAGE_ERROR {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            throw new NoClassDefFoundError("a jar is missing");
        }
    },
    STACK_OVERFLOW {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            recurse(1);
        }
    },
    INVALID_ENTITY {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            em.persist(new BusinessJob("long", "n".repeat(101)));
        }
    },
    SECOND_ENTITY_OF_ONE_ID {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            em.persist(new BusinessJob(job.operationId(), "twin"));
        }
    },
    DETACHED_ENTITY_PERSISTED {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            em.detach(job);
            em.persist(job);
        }
    },
    MANAGED_ENTITY_THAT_CANNOT_BE_FLUSHED {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            job.note("taken");
        }
    },
    FAILED_FLUSH_SWALLOWED {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            job.note("taken");
            assertThrows(PersistenceException.class, em::flush);
        }
    },
    FAILED_FLUSH_SWALLOWED_AND_CLEARED {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            job.note("taken");
            assertThrows(PersistenceException.class, em::flush);
            em.clear();
        }
    },
    FAILED_QUERY_SWALLOWED {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            assertThrows(
                    PersistenceException.class,
                    () -> em.createNativeQuery("SELECT 1 FROM no_such").getResultList());
        }
    },
    ROLLBACK_IN_A_PROCEDURE {
        @Override
        void fail(EntityManager em, BusinessJob job) {
            em.createNativeQuery("CALL roll_back()").executeUpdate();
        }
    };

    /** What {@link #ROLLBACK_IN_A_PROCEDURE} calls, and the row whose note is taken. */
    static void prepare(TestDatabase database) throws SQLException {
        database.update("CREATE PROCEDURE IF NOT EXISTS roll_back() ROLLBACK");
        database.update("INSERT INTO business_job VALUES ('other', 'taken', NULL)");
    }

    abstract void fail(EntityManager em, BusinessJob job) throws Exception;

    @Override
    public void accepted(EntityManager em, OutboxRecord record, SubmitTaskResult receipt) throws Exception {
        BusinessJob job = em.find(BusinessJob.class, record.operationId());
        job.taskId(receipt.taskId());
        String more = "more-" + record.operationId().substring(5);
        em.persist(new BusinessJob(more, more));
        em.flush();
        fail(em, job);
    }

    private static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwSneakily(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static final class ErrorOfItsOwn extends Error {
        private static final long serialVersionUID = 1L;
    }
}
