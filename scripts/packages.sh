#!/bin/sh
# packages.sh [venv]: the programs that tests run and pip cannot install; with `venv` only what
# Debian ships apart from Python. Missing ones are installed with apt-get where there is the right
# to do so; otherwise says which packages to install.
set -eu
python=${PYTHON:-python3}
# Where Debian puts nginx, which is not on everybody's path.
PATH=$PATH:/usr/sbin:/sbin

# look: sets `missing` to the packages that are missing, alternatives as one|other.
look() {
    missing=
    "$python" -c 'import venv, ensurepip' >/dev/null 2>&1 || missing=" python3-venv"
    [ "${1:-}" = venv ] && return
    need tmux tmux
    need redis-server redis-server
    need nginx nginx
    need strace strace
    need gcc gcc
    need systemd-analyze systemd
    # The engine without the browser around it is smaller, and takes less of the processor.
    need "${KEYPEG_CHROMIUM:-} chromium-headless-shell chromium chromium-browser google-chrome" \
        "chromium-headless-shell|chromium"
}

# need COMMANDS PACKAGES: any of the commands will do.
need() {
    for command in $1; do
        command -v "$command" >/dev/null 2>&1 && return
    done
    missing="$missing $2"
}

# known: of each group of alternatives the first package that apt knows.
known() {
    for group in $missing; do
        for package in $(echo "$group" | tr '|' ' '); do
            if apt-cache policy "$package" | grep -q 'Candidate: [^(]'; then
                echo "$package"
                break
            fi
        done
    done
}

# quietly COMMAND...: shows what it said only if it failed.
quietly() {
    log=$(mktemp)
    "$@" >"$log" 2>&1 || { cat "$log" >&2; rm "$log"; return 1; }
    rm "$log"
}

install() {
    began=$(date +%s)
    echo "keypeg: installing$missing (apt-get)"
    quietly $as_root apt-get update -qq || return 1
    # shellcheck disable=SC2046 - several words are meant
    quietly $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq -o DPkg::Lock::Timeout=300 $(known) || return 1
    echo "keypeg: installing$missing took $(($(date +%s) - began)) s"
}

look "$@"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ]; then as_root=; else as_root="sudo -n"; fi
if command -v apt-get >/dev/null 2>&1 && $as_root true 2>/dev/null; then
    install && look "$@" || true
    [ -n "$missing" ] || exit 0
fi
if command -v apt-cache >/dev/null 2>&1; then names=$(known | tr '\n' ' '); fi
echo "keypeg: programs are missing here. On Debian or Ubuntu:" \
    "sudo apt-get install ${names:-$(echo "$missing" | sed 's/|[^ ]*//g')}" >&2
exit 1
