/**
 * The command line {@code sender}: its commands, their settings, and what they answer when something fails.
 */
@NullMarked
package hk.yuntuo.orbit.examples.taskoutbox.cli;

import org.jspecify.annotations.NullMarked;
