#!/usr/bin/env bash
# Install Chromium, and a font for it, where that can be done unasked; elsewhere say how. The tests of
# the page of `cdfscore report` open it there.
set -euo pipefail

if command -v chromium >/dev/null; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Chromium (apt-get install chromium fonts-dejavu-core)"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        chromium fonts-dejavu-core
else
    echo "Chromium is not installed (Debian: sudo apt-get install chromium; others, in the" \
        "environment: python -m playwright install chromium), or the tests of the page of reports" \
        "are skipped." >&2
fi
