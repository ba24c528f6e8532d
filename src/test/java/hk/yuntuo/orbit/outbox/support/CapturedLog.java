package hk.yuntuo.orbit.outbox.support;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What a logger says, DEBUG aside, until it is closed; the test configuration silences the library. */
public final class CapturedLog implements AutoCloseable {
    private final Logger logger;
    private final Level before;
    private final boolean additiveBefore;
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    private CapturedLog(Logger logger) {
        this.logger = logger;
        this.before = logger.getLevel();
        this.additiveBefore = logger.isAdditive();
        events.start();
        logger.addAppender(events);
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
    }

    public static CapturedLog of(String logger) {
        return new CapturedLog((Logger) LoggerFactory.getLogger(logger));
    }

    /** Level and message, in the order they were logged. */
    public List<String> lines() {
        // The appender takes its own lock when it adds.
        synchronized (events) {
            return events.list.stream()
                    .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                    .toList();
        }
    }

    @Override
    public void close() {
        logger.setLevel(before);
        logger.setAdditive(additiveBefore);
        logger.detachAppender(events);
    }
}
