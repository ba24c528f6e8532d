package hk.yuntuo.orbit.outbox.internal.store;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceUnitTransactionType;
import java.sql.Connection;
import java.sql.SQLException;
import org.hibernate.ConnectionReleaseMode;
import org.hibernate.SessionFactory;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.engine.spi.SessionFactoryImplementor;

/** Settings of a persistence unit under which a transaction would not be one. They are refused rather than worked around. */
public final class UnitSettings {
    private UnitSettings() {}

    public static boolean isJta(EntityManagerFactory factory) {
        return factory.getTransactionType() == PersistenceUnitTransactionType.JTA;
    }

    /** A resource-local unit that gives its connection away before its COMMIT commits nothing, and says it did. Opens nothing. */
    public static void requireConnectionIsKept(EntityManagerFactory factory) {
        if (factory.getTransactionType() != PersistenceUnitTransactionType.RESOURCE_LOCAL) {
            return;
        }
        ConnectionReleaseMode mode =
                options(factory).getPhysicalConnectionHandlingMode().getReleaseMode();
        if (mode == ConnectionReleaseMode.AFTER_STATEMENT
                || mode == ConnectionReleaseMode.BEFORE_TRANSACTION_COMPLETION) {
            throw new InvalidInputException(
                    "hibernate.connection.handling_mode",
                    "must keep the connection to the end of the transaction in a resource-local unit",
                    mode);
        }
    }

    /** Under JTA a pool takes its connection back within the COMMIT, before this library could put its settings back. */
    public static void requireResourceLocal(EntityManagerFactory factory, String setting) {
        if (isJta(factory)) {
            throw new InvalidInputException(
                    setting,
                    "needs a unit of transaction type RESOURCE_LOCAL; beside a JTA unit, give a second one over the same schema",
                    factory.getTransactionType());
        }
    }

    /** A pool can be told wrongly that its connections start without autocommit; each statement would then commit by itself. */
    static void requireManualCommit(SessionFactory factory, Connection connection) throws SQLException {
        if (options(factory).doesConnectionProviderDisableAutoCommit() && connection.getAutoCommit()) {
            throw autocommits("nothing was claimed or settled");
        }
    }

    static IllegalStateException autocommits(String consequence) {
        return new IllegalStateException("The connection is in autocommit mode inside a transaction: " + consequence
                + ". With hibernate.connection.provider_disables_autocommit=true the pool itself must hand out connections"
                + " with autocommit off; a JTA unit needs a data source that takes part in JTA transactions.");
    }

    static IllegalStateException takesNoPart(String operationId) {
        return new IllegalStateException(
                "Operation " + operationId + " was not enqueued: it was written on a connection that"
                        + " takes no part in the JTA transaction, and was gone with it. A JTA unit needs a data source that takes part"
                        + " in JTA transactions.");
    }

    private static SessionFactoryOptions options(EntityManagerFactory factory) {
        return factory.unwrap(SessionFactoryImplementor.class).getSessionFactoryOptions();
    }
}
