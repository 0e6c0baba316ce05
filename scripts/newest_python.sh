#!/usr/bin/env bash
# Print the newest Python at hand, on the path or installed by pyenv: a release, not a pre-release,
# and not a free-threaded build, for which some libraries have no wheels.
set -euo pipefail
newest=
most=0
question='import sys, sysconfig
major, minor, micro, level = sys.version_info[:4]
if level == "final" and sysconfig.get_config_var("Py_GIL_DISABLED") != 1:
    print(f"cdfscore:{major * 10**6 + minor * 10**3 + micro}")'
for python in python3 python3.{11..19} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    answer=$("$python" -c "$question" 2>/dev/null) || continue
    [[ "$answer" =~ ^cdfscore:([0-9]+)$ ]] || continue
    number=${BASH_REMATCH[1]}
    if [ "$number" -gt "$most" ]; then
        most=$number
        newest=$(command -v "$python")
    fi
done
[ -n "$newest" ] || { echo "newest_python.sh: there is no released Python" >&2; exit 1; }
echo "$newest"
