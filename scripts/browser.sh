#!/bin/sh
# browser.sh: makes sure that there is a Chromium for the tests, or says how to get one.
set -eu

for name in "${KEYPEG_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && exit 0
done

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "keypeg: installing chromium"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null && exit 0
fi
echo "keypeg: the tests of the browser side need Chromium. On Debian: sudo apt-get install chromium;" \
    "or name one: KEYPEG_CHROMIUM=/path/to/chromium make test" >&2
exit 1
