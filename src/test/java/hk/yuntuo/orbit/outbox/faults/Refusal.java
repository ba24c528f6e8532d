package hk.yuntuo.orbit.outbox.faults;

/** Ways in which a server refuses work that it did before. Each is imposed and lifted by one statement of an administrator. */
enum Refusal {
    /** As after a failover; an administrator may still write. */
    READ_ONLY_SERVER("SET GLOBAL read_only = ON", "SET GLOBAL read_only = OFF"),
    TABLE_AWAY("RENAME TABLE sender_outbox TO away", "RENAME TABLE away TO sender_outbox"),
    NO_PRIVILEGE_TO_READ("REVOKE SELECT ON sender_outbox FROM %s", "GRANT SELECT ON sender_outbox TO %s"),
    NO_PRIVILEGE_TO_WRITE(
            "REVOKE UPDATE, INSERT ON sender_outbox FROM %s", "GRANT UPDATE, INSERT ON sender_outbox TO %s"),
    /** This and the next two: as a full disk, which refuses what would take more of it. */
    NO_ROOM_FOR_A_COMMAND(full("state <> 'PENDING'"), free()),
    NO_ROOM_FOR_A_CLAIM(full("send_count = 0"), free()),
    NO_ROOM_FOR_A_RECEIPT(full("receipt_json IS NULL"), free());

    private final String impose;
    private final String lift;

    Refusal(String impose, String lift) {
        this.impose = impose;
        this.lift = lift;
    }

    private static String full(String condition) {
        return "ALTER TABLE sender_outbox ADD CONSTRAINT ck_full CHECK (" + condition + ")";
    }

    private static String free() {
        return "ALTER TABLE sender_outbox DROP CHECK ck_full";
    }

    String impose(String user) {
        return String.format(impose, user);
    }

    String lift(String user) {
        return String.format(lift, user);
    }

    /** Or by claims, before anything is sent. */
    boolean isMetBySettlements() {
        return this == NO_ROOM_FOR_A_RECEIPT;
    }
}
