#!/bin/sh
# packages.sh: the programs that tests run and pip cannot install. Missing ones are installed with
# apt-get where there is the right to do so; otherwise says which packages to install.
set -eu
missing=

# need COMMANDS PACKAGES: any of the commands will do; else the first package that there is.
need() {
    for command in $1; do
        command -v "$command" >/dev/null 2>&1 && return
    done
    missing="$missing $(echo "$2" | tr ' ' '|')"
}
need tmux tmux
need redis-server redis-server
need nginx nginx
need strace strace
need gcc gcc
need systemd-analyze systemd
# The same engine as chromium without a browser around it: smaller, and twice as quick in tests.
need "${KEYPEG_CHROMIUM:-} chromium-headless-shell chromium chromium-browser google-chrome" \
    "chromium-headless-shell chromium"
[ -n "$missing" ] || exit 0

# firsts: of each group of packages one|other the first that apt knows.
firsts() {
    for group in $missing; do
        for package in $(echo "$group" | tr '|' ' '); do
            [ -z "$(apt-cache policy "$package" | grep 'Candidate: [^(]')" ] || { echo "$package"; break; }
        done
    done
}

if [ "$(id -u)" = 0 ]; then as_root=; else as_root="sudo -n"; fi
if command -v apt-get >/dev/null 2>&1 && $as_root true 2>/dev/null; then
    $as_root apt-get update -qq
    wanted=$(firsts | tr '\n' ' ')
    # shellcheck disable=SC2086 - several words are meant
    sh "$(dirname "$0")/timed.sh" "installing $wanted" \
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 $wanted >"${log:=$(mktemp)}" 2>&1 &&
        { grep '^keypeg' "$log"; rm "$log"; exit 0; }
    cat "$log" >&2
fi
echo "keypeg: the tests need programs that are missing here. On Debian or Ubuntu:" \
    "sudo apt-get install$(echo "$missing" | sed 's/|[^ ]*//g')" >&2
exit 1
