package hk.yuntuo.orbit.outbox.randomrun;

import hk.yuntuo.orbit.outbox.support.proxy.MySqlProxy;
import hk.yuntuo.orbit.outbox.support.proxy.Strike;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Connections to MySQL that are lost at random, in each way in turn: at a COMMIT, before, while and after the server gets it, and now and
 * then at any statement.
 */
final class WireFaults implements Function<String, @Nullable Strike> {
    private static final List<Strike> CUTS = List.of(Strike.CUT_BEFORE, Strike.CUT_WITHIN, Strike.SWALLOW_REPLY);

    private final String who;
    private final Random random;
    private final Tally tally;
    private int commits;
    private int commitTurn;
    private int statementTurn;
    private volatile boolean over;

    WireFaults(String who, Random random, Tally tally) {
        this.who = who;
        this.random = random;
        this.tally = tally;
    }

    void end() {
        over = true;
    }

    @Override
    public synchronized @Nullable Strike apply(String sql) {
        boolean commit = MySqlProxy.COMMIT.test(sql);
        boolean drawn = random.nextInt(commit ? 40 : 1_500) == 0;
        if (over || !drawn && !(commit && isEarly())) {
            return null;
        }
        Strike strike = CUTS.get((commit ? commitTurn++ : statementTurn++) % CUTS.size());
        tally.count(who + (commit ? " COMMIT " : " statement ") + strike);
        return strike;
    }

    /** Each way once at the beginning, whatever is drawn and however slow the machine is. */
    private boolean isEarly() {
        commits++;
        return commits <= 30 && commits % 10 == 0;
    }
}
