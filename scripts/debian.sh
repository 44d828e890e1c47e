#!/bin/sh
# debian.sh COMMAND...: Debian packages of the same names as these commands, where they are
# missing and there is the right to install them. Otherwise says so; the tests then fail plainly.
set -eu
for command in "$@"; do
    command -v "$command" >/dev/null 2>&1 && continue
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        echo "keypeg: installing $command"
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$command" >/dev/null; } && continue
    fi
    echo "keypeg: '$command' is needed by some tests. On Debian or Ubuntu: sudo apt-get install $command" >&2
done
