package hk.yuntuo.orbit.outbox.internal.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements by their text. */
class BusinessSqlTest {
    private static final int LONG = 1_000_000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into job (id) values (?)",
                "INSERT INTO job (id) VALUES (?)",
                "Insert Into job select * from old_job",
                "insert ignore into job values (1)",
                "update job set note=? where id=?",
                "UPDATE job SET note=?",
                "UPDATE`job` SET note=?",
                "delete from job where id=?",
                "DELETE j FROM job j JOIN batch b ON b.id = j.batch_id",
                "replace into job values (1)",
                "load data infile 'x' into table job",
                "call make_job()",
                "CALL make_job()",
                "  \n\t update job set note=?",
                "/* a comment */ update job set note=?",
                "/* one */ /* two\nlines */\n update job set note=?",
                "-- a comment\nupdate job set note=?",
                "--\nupdate job set note=?",
                "# a comment\nupdate job set note=?",
                "update /*+ NO_MERGE(job) */ job set note=?",
                "delete /*+ NO_MERGE(job) */ from job",
                "/* hint */ insert /*+ SET_VAR(x=1) */ into job values (1)",
                "with old as (select id from job) update job join old using (id) set note=?",
                "WITH old AS (SELECT id FROM job)\nDELETE FROM job WHERE id IN (SELECT id FROM old)",
                "with recursive n (i) as (select 1 union all select i + 1 from n), m as (select 2) delete from job",
                "with old as (select id from job) /* now */ update job set note=?",
                "with old as (select id from job)update job set note=?",
                "insert into job (note) values ('it''s')",
                "update job set note='see sender_outbox' where id=?",
                "/* like sender_outbox */ update job set note=?",
                "insert into my_sender_outbox values (1)",
                "update sender_outbox_archive set note=?"
            })
    void writesAreSeen(String sql) {
        assertTrue(BusinessSql.writesOrLocks(sql));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select j.id from job j where j.id=? for update",
                "SELECT j.id FROM job j FOR UPDATE",
                "select j.id from job j for update of j",
                "select j.id from job j for update skip locked",
                "select j.id from job j for update nowait",
                "select j.id from job j for share",
                "select j.id from job j for\n  share of j",
                "select j.id from job j for /* now */ update",
                "select j.id from job j lock in share mode",
                "SELECT j.id FROM job j LOCK  IN\nSHARE\tMODE",
                "(select id from job for update) union all (select id from batch)",
                "with old as (select id from job for share) select * from old",
                "/* select j from Job j */ select j.id from job j for update",
                "select j.id from job j where j.note='it''s' for update"
            })
    void lockingReadsAreSeen(String sql) {
        assertTrue(BusinessSql.writesOrLocks(sql));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select j.id from job j",
                "select update_time, insert_time, delete_flag from job",
                "select for_update, lock_mode, for_share from job",
                "select j.`update`, j.`for` from job j",
                "select updated from job where call_id=?",
                "with old as (select id from job) select * from old",
                "with old as (select id from job) select replace(id, 'a', 'b') from old",
                "with old as (select (1) from job) select old.update_time from old",
                "select insert(note, 1, 2, 'x') from job",
                "select j.id from job j where j.note='wait for update'",
                "select j.id from job j where j.note=\"wait for update\"",
                "select j.id from job j where j.note='it''s for update'",
                "select j.id from job j where j.note='it\\'s for share'",
                "/* select j from Job j where j.note='for update' */ select j.id from job j",
                "select j.id from job j -- for update",
                "with old as (select id from job) select * from old where note='(1) update'",
                "show tables",
                "set @x = 1",
                "/* update */ select 1",
                "updates",
                ""
            })
    void readsAreNot(String sql) {
        assertFalse(BusinessSql.writesOrLocks(sql));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select o.operation_id from sender_outbox o where o.state=? for update skip locked",
                "select o.operation_id from `sender_outbox` o for share",
                "SELECT * FROM app.SENDER_OUTBOX FOR UPDATE",
                "insert into sender_outbox (operation_id) values (?)",
                "update sender_outbox set due_at=? where operation_id=?",
                "delete from sender_outbox where operation_id=?"
            })
    void theOutboxIsNoBusiness(String sql) {
        assertFalse(BusinessSql.writesOrLocks(sql));
    }

    @Test
    void literalsAreNotShown() {
        assertEquals(
                "update job set note=?, path=?, more=?, last=? where id=?",
                BusinessSql.shown("update job set note='secret', path='C:\\\\', more='it''s \\' secret', last=''"
                        + " where id=?"));
        assertEquals(
                "update job set note=? where id=1", BusinessSql.shown("update job set note=\"secret\" where id=1"));
        assertEquals("update job set note=?", BusinessSql.shown("update job set note='a \"secret'"));
        assertEquals("update job set note=?", BusinessSql.shown("update job set note=\"it's secret\""));
    }

    @Test
    void namesInQuotationMarksAreShown() {
        assertEquals("update `jo'b` set `note`=?", BusinessSql.shown("update `jo'b` set `note`='secret'"));
    }

    @Test
    void aStatementIsShownOnOneLineAndCut() {
        assertEquals("update job set note=?", BusinessSql.shown("  update job\n\tset   note=?\n"));
        String exact = "update job set note=" + "?".repeat(180);
        assertEquals(200, exact.length());
        assertEquals(exact, BusinessSql.shown(exact));
        assertEquals(exact + "...", BusinessSql.shown(exact + "?"));
    }

    @Test
    void longStatementsAreLookedAtInTime() {
        assertTrue(BusinessSql.writesOrLocks(" \n".repeat(LONG) + "update job set note=?"));
        assertTrue(BusinessSql.writesOrLocks("/* " + "comment ".repeat(LONG) + "*/ update job set note=?"));
        assertFalse(BusinessSql.writesOrLocks("with old as (select 1) select " + "(1), ".repeat(LONG) + "2"));
        assertFalse(BusinessSql.writesOrLocks("with old as (select 1) select 1" + ")\n".repeat(100_000)));
        assertEquals("update job set note=?", BusinessSql.shown("update job set note='" + "a''b".repeat(LONG) + "'"));
    }
}
