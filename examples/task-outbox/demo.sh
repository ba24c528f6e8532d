#!/usr/bin/env bash
# Builds the library and this example when their sources changed, then shows one operation from its business transaction to its
# task: on a real MySQL, which is found or started for it, and over HTTP. Standard output has the demo's lines, standard error the
# progress. Nothing is left running, and nothing is installed into your own Maven repository.
set -euo pipefail
shopt -s globstar nullglob

here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -P "$here/../.." && pwd)
jar=$here/target/task-outbox.jar
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

say() { printf 'demo: %s\n' "$*" >&2; }

# Folders count too: a removed file shows in its folder's time only.
up_to_date() {
  local source
  [ -f "$jar" ] || return 1
  for source in "$root/pom.xml" "$root"/{src,liquibase}/** "$here/pom.xml" "$here"/src/**; do
    if [ "$source" -nt "$jar" ]; then return 1; fi
  done
}

# New artifacts go to the first repository; what is in the second is only read.
maven() {
  "$root/mvnw" -q -ntp -DskipTests -DskipITs -Dspotless.check.skip -Dmaven.javadoc.skip -Dmaven.source.skip \
    -Dmaven.repo.local="$here/target/repository" -Dmaven.repo.local.tail="${HOME:-/nonexistent}/.m2/repository" "$@" >&2
}

command -v "$java" >/dev/null || { say "a JDK 17 or later is needed: set JAVA_HOME or put java on the PATH"; exit 1; }

if ! up_to_date; then
  say "building the library (the first time downloads what it needs)"
  maven -f "$root/pom.xml" install
  say "building the example"
  maven -f "$here/pom.xml" -Dmaven.test.skip package
  touch "$jar"
fi

say "starting"
exec "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -jar "$jar" demo-stack
