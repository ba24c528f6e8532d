package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.sql.SQLException;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.UpdateSummaryEnum;
import liquibase.UpdateSummaryOutputEnum;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.LiquibaseException;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.ui.LoggerUIService;

/** The changelog of this application, which includes the library's, on one schema. */
final class Changelog implements AutoCloseable {
    private static final String FILE = "task-outbox/changelog.yaml";
    private static final Contexts CONTEXTS = new Contexts();
    private static final LabelExpression LABELS = new LabelExpression();

    /** A logger without a strong reference loses its level. What Liquibase has to say is in its exceptions. */
    private static final Logger LIQUIBASE = Logger.getLogger("liquibase");

    private final Liquibase liquibase;

    private Changelog(Liquibase liquibase) {
        this.liquibase = liquibase;
    }

    static Changelog on(DatabaseAddress address) throws SQLException, LiquibaseException {
        LIQUIBASE.setLevel(Level.OFF);
        System.setProperty("liquibase.analytics.enabled", "false");
        Liquibase liquibase = new Liquibase(
                FILE,
                new ClassLoaderResourceAccessor(),
                DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(address.connect())));
        liquibase.setShowSummary(UpdateSummaryEnum.OFF);
        liquibase.setShowSummaryOutput(UpdateSummaryOutputEnum.LOG);
        return new Changelog(liquibase);
    }

    /** Runs every changeset, or undoes those that ran. */
    void apply() throws Exception {
        // Its progress would go to standard output.
        Scope.child(Map.of(Scope.Attr.ui.name(), new LoggerUIService()), this::applyOrUndo);
    }

    private void applyOrUndo() throws LiquibaseException {
        if (applied() != 0) {
            throw new CommandFailedException(
                    ExitStatus.SCHEMA_EXISTS,
                    "DATABASECHANGELOG says that the tables were created, but they are not there: look who dropped them.",
                    null);
        }
        try {
            liquibase.update(CONTEXTS, LABELS);
        } catch (LiquibaseException e) {
            undo(e);
            throw e;
        }
    }

    private int applied() throws LiquibaseException {
        int all = liquibase.getDatabaseChangeLog().getChangeSets().size();
        return all - liquibase.listUnrunChangeSets(CONTEXTS, LABELS).size();
    }

    private void undo(LiquibaseException reason) {
        try {
            liquibase.rollback(applied(), CONTEXTS, LABELS);
        } catch (LiquibaseException e) {
            reason.addSuppressed(e);
        }
    }

    @Override
    public void close() throws LiquibaseException {
        liquibase.close();
    }
}
