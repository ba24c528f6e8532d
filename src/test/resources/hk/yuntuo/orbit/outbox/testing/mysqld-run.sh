#!/bin/sh
# Runs one mysqld on a copy of a prepared data folder until standard input ends, then removes the run folder.
#
#   sh mysqld-run.sh TEMPLATE RUN_FOLDER MYSQLD [ARGUMENT...]      RUN_FOLDER/mysqld.log is the server's log
#
# With - in the place of TEMPLATE, RUN_FOLDER/data is there already, and the folder stays for the next run.
#
# The starter holds the other end of standard input open. The kernel closes it when the starter ends, however that
# happens, so no server outlives it. The data is thrown away, hence the hard stop.
# An interrupt from the terminal is for the starter to handle: its last steps may still need the server.
trap '' INT HUP

template=$1
run=$2
shift 2

# A shell gives its background jobs an empty standard input, so the pipe needs a number of its own.
exec 3<&0 </dev/null

remove_run() {
    [ "$template" = - ] || rm -rf "$run"
}

if [ "$template" != - ]; then
    cp -R --reflink=auto "$template" "$run/data" 2>/dev/null || {
        rm -rf "$run/data"
        cp -R "$template" "$run/data" || exit 1
    }
    # The template's server id; each server makes its own.
    rm -f "$run/data/auto.cnf"
fi

"$@" 3<&- >>"$run/mysqld.log" 2>&1 &
server=$!
trap 'kill -KILL "$server" 2>/dev/null; remove_run; exit 143' TERM

{
    read -r _ <&3
    kill -KILL "$server" 2>/dev/null
} &
watcher=$!
exec 3<&-

wait "$server"
code=$?
kill "$watcher" 2>/dev/null
# After an end of its own the server's log stays, for the starter to read and to remove.
if [ "$code" -eq 137 ]; then
    remove_run
fi
exit "$code"
