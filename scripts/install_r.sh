#!/usr/bin/env bash
# Install R where that can be done unasked; elsewhere say how, and what is skipped without it.
set -euo pipefail

if command -v R >/dev/null; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing R (apt-get install r-base-core)"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends r-base-core
else
    echo "R is not installed: install it (Debian: sudo apt-get install r-base-core; others:" \
        "https://www.r-project.org), or the tests that compare with R are skipped." >&2
fi
