#!/usr/bin/env bash
# make_venv.sh PYTHON FOLDER: make a virtual environment, on a bare Debian too.
set -euo pipefail
python=$1 folder=$2

if ! command -v "$python" >/dev/null; then
    echo "$python is not there; Python 3.11 or later is needed (make PYTHON=/path/to/python)" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "$("$python" --version) is too old; Python 3.11 or later is needed (make PYTHON=...)" >&2
    exit 1
fi
# Debian's python3 comes without the module that puts pip into an environment.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv
    else
        echo "$python has no venv module; on Debian: sudo apt-get install python3-venv" >&2
        exit 1
    fi
fi
"$python" -m venv "$folder"
