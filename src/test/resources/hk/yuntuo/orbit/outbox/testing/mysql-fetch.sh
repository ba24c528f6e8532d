#!/usr/bin/env bash
# Fetches Debian's mysql-server-core (suite sid) and unpacks it into a cache folder.
#
#   bash mysql-fetch.sh CACHE_FOLDER      prints the path of a mysqld that runs in place, as its only line on stdout
#
# Needs apt and dpkg-deb, no root. The package lists, downloads and status file are private to this fetch: what the
# machine's own apt knows and keeps is neither changed nor needed to be fresh. Any number of fetches may run at once.
# Delete CACHE_FOLDER/mysql-sid-* to fetch a newer MySQL.
#
#   OUTBOX_TEST_DEBIAN_MIRROR   the archive to fetch from; default: the one in the machine's own apt sources
set -euo pipefail
umask 077

readonly PACKAGE=mysql-server-core SUITE=sid
readonly LOCK_SECONDS=900 UPDATE_SECONDS=300 DOWNLOAD_SECONDS=600

fail() {
    printf 'mysql-fetch: %s\n' "$@" >&2
    exit 1
}

require() {
    local tool
    for tool in apt-get dpkg dpkg-deb flock timeout; do
        command -v "$tool" >/dev/null || fail "$tool is not on the PATH; fetching $PACKAGE works on Debian only"
    done
}

# The archive that the machine's own apt sources name for Debian itself (not its security or backports suites).
mirror() {
    local found=${OUTBOX_TEST_DEBIAN_MIRROR:-}
    if [ -z "$found" ]; then
        found=$(timeout 30 apt-get --print-uris update 2>/dev/null </dev/null |
            sed -nE "s#^'([^']+/debian(/[0-9TZ]+)?)/dists/[a-z]+/InRelease'.*#\1#p" | head -n 1) || true
    fi
    [ -n "$found" ] || fail "no Debian archive (.../debian, a plain suite) among this machine's apt sources" \
        "set OUTBOX_TEST_DEBIAN_MIRROR to the URI of a Debian mirror"
    printf '%s' "${found%/}"
}

keyring() {
    local file
    for file in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
        if [ -r "$file" ]; then
            printf '%s' "$file"
            return
        fi
    done
    fail "no Debian archive keyring in /usr/share/keyrings (package debian-archive-keyring)"
}

# Read last by apt, so it wins over the machine's configuration, of which proxies and the like stay in force.
# The hooks are cleared because they work on the machine's own folders; APT::Sandbox::User because apt run by root
# would otherwise change to a user that cannot read this folder.
write_apt_configuration() {
    local apt=$1 uri=$2 keys=$3
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    printf 'deb [signed-by=%s] %s %s main\n' "$keys" "$uri" "$SUITE" >"$apt/sources.list"
    # perl is said to be installed: only the scripts need it, and it would double the download.
    printf '%s\n' 'Package: perl' 'Status: install ok installed' 'Version: 99' 'Multi-Arch: allowed' \
        "Architecture: $(dpkg --print-architecture)" 'Maintainer: nobody' 'Description: stand-in' '' >"$apt/status"
    cat >"$apt/apt.conf" <<END
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::Status "$apt/status";
Dir::State::extended_states "$apt/extended_states";
Dir::Cache "$apt/cache";
Dir::Cache::archives "$apt/cache/archives";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::Log "$apt";
APT::Sandbox::User "";
APT::Default-Release "";
APT::Update::Error-Mode "any";
APT::Install-Recommends "false";
APT::Install-Suggests "false";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
END
}

run_apt() {
    local seconds=$1 log=$2 apt=$3
    shift 3
    # No locale of the machine's, no question, no input.
    if ! LC_ALL=C DEBIAN_FRONTEND=noninteractive timeout "$seconds" apt-get -c "$apt/apt.conf" -q -y "$@" \
        </dev/null >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        fail "apt-get $1 failed (at most $seconds s) with the archive in: $(cat "$apt/sources.list")"
    fi
}

# A loader and libraries of the suite are used, since the machine's own C library may be older than MySQL needs.
write_launcher() {
    local root=$1 loader
    loader=$(cd "$root" && printf '%s\n' usr/lib/*-linux-gnu*/ld-linux*.so.* | head -n 1)
    [ -x "$root/$loader" ] || fail "no ld-linux among the unpacked packages"
    [ -x "$root/usr/sbin/mysqld" ] || fail "no usr/sbin/mysqld among the unpacked packages"
    mkdir -p "$root/bin"
    cat >"$root/bin/mysqld" <<END
#!/bin/sh
root=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")
exec "\$root/$loader" --library-path "\$root/${loader%/*}:\$root/usr/lib/mysql/private" \\
    "\$root/usr/sbin/mysqld" "\$@" --basedir="\$root/usr" --lc-messages-dir="\$root/usr/share/mysql"
END
    chmod 700 "$root/bin/mysqld"
}

fetch() {
    local part=$1 log=$2 deb uri keys
    local apt="$part/apt"
    uri=$(mirror)
    keys=$(keyring)
    mkdir -p "$part/root"
    write_apt_configuration "$apt" "$uri" "$keys"
    : >"$log"
    run_apt "$UPDATE_SECONDS" "$log" "$apt" update
    run_apt "$DOWNLOAD_SECONDS" "$log" "$apt" install --download-only "$PACKAGE"
    for deb in "$apt"/cache/archives/*.deb; do
        dpkg-deb --extract "$deb" "$part/root"
    done
    rm -rf "$apt" "$part"/root/usr/bin "$part"/root/usr/share/{doc,man,locale,info}
    write_launcher "$part/root"
    "$part/root/bin/mysqld" --no-defaults --version >>"$log" 2>&1 || fail "the unpacked mysqld does not run; see $log"
}

main() {
    [ $# -eq 1 ] || fail "usage: mysql-fetch.sh CACHE_FOLDER"
    require
    local cache goal
    mkdir -p "$1"
    cache=$(cd "$1" && pwd)
    goal="$cache/mysql-$SUITE-$(dpkg --print-architecture)"
    if [ ! -f "$goal/complete" ]; then
        exec 9>"$goal.lock"
        flock -w "$LOCK_SECONDS" 9 || fail "another fetch has held $goal.lock for $LOCK_SECONDS s"
        if [ ! -f "$goal/complete" ]; then
            rm -rf "$goal" "$goal.part"
            mkdir "$goal.part"
            fetch "$goal.part" "$goal.log" 9>&-
            mv "$goal.part" "$goal"
            : >"$goal/complete"
        fi
    fi
    printf '%s\n' "$goal/root/bin/mysqld"
}

main "$@"
