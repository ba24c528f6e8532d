package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.io.PrintWriter;

/**
 * What every command is given.
 *
 * @param settings the settings
 * @param out for the documented lines only; flushed at each
 * @param shutdown for commands that run until they are told to stop
 */
record CommandContext(Settings settings, PrintWriter out, Shutdown shutdown) {}
