#!/bin/sh
# timed.sh WHAT COMMAND...: says what is being done, does it, and says how long it took.
set -eu
what=$1
shift
began=$(date +%s)
echo "keypeg: $what"
"$@" || { status=$?; echo "keypeg: $what failed after $(($(date +%s) - began)) s" >&2; exit $status; }
echo "keypeg: $what took $(($(date +%s) - began)) s"
