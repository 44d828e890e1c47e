#!/bin/sh
# debian.sh COMMAND[:PACKAGE]...: Debian packages with these commands, which they are named after
# unless told, where they are missing and there is the right to install them. Otherwise says so;
# the tests then fail plainly.
set -eu
for wanted in "$@"; do
    command=${wanted%%:*} package=${wanted#*:}
    command -v "$command" >/dev/null 2>&1 && continue
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        echo "keypeg: installing $package"
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null; } && continue
    fi
    echo "keypeg: '$command' is needed by some tests. On Debian or Ubuntu: sudo apt-get install $package" >&2
done
