#!/bin/sh
# environment.sh PYTHON FOLDER LOCK [--bare]: a virtual environment with what LOCK pins,
# and with keypeg itself unless --bare. Says plainly what is missing when it cannot.
set -eu
python=$1 folder=$2 lock=$3 bare=${4:-}
began=$(date +%s)

fail() { echo "keypeg: $1" >&2; exit 1; }

command -v "$python" >/dev/null 2>&1 ||
    fail "'$python' was not found. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "'$python' is $("$python" --version 2>&1); keypeg needs Python 3.11 or newer: make PYTHON=/path/to/python3"

PYTHON=$python sh "$(dirname "$0")/packages.sh" venv

# install ARGUMENT...: with uv, which takes seconds where pip takes a minute; else with pip, which
# knows package indexes from settings of its own.
pip() { "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
install() {
    "$folder/bin/uv" pip install --quiet --python "$folder/bin/python" "$@" 2>/dev/null || pip "$@"
}

echo "keypeg: preparing $folder"
# One that was left half done, or made in another place, is made again: uv would take it for whole.
[ "$(cat "$folder/.made-in" 2>/dev/null)" = "$(pwd)" ] || "$python" -m venv --clear "$folder"
rm -f "$folder/.made-in"
pip --require-hashes -r requirements/setup.txt || echo "keypeg: going on without uv, which is slower" >&2
install --require-hashes -r "$lock" ||
    fail "the packages of $lock could not be installed; the message above says why. Is there a network?"
if [ "$bare" != --bare ]; then
    install --no-deps --no-build-isolation -e . ||
        fail "keypeg itself could not be installed; the message above says why"
    echo "keypeg: the command is $folder/bin/keypeg"
fi
pwd >"$folder/.made-in"
echo "keypeg: preparing $folder took $(($(date +%s) - began)) s"
