#!/usr/bin/env bash
# Print the newest Python at hand: on the path, or installed by pyenv.
set -euo pipefail
newest=
most=0
for python in python3 python3.{11..19} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    number=$("$python" -c 'import sys; print(sys.version_info[0] * 100 + sys.version_info[1])' \
        2>/dev/null) || continue
    if [ "$number" -gt "$most" ]; then
        most=$number
        newest=$(command -v "$python")
    fi
done
echo "$newest"
