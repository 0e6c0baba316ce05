#!/usr/bin/env bash
# Install LaTeX where that can be done unasked; elsewhere say how. `make validate` compiles tables.
set -euo pipefail
command -v pdflatex >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing LaTeX (apt-get install texlive-latex-recommended)"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        texlive-latex-recommended
else
    echo "LaTeX is not installed (Debian: sudo apt-get install texlive-latex-recommended;" \
        "others: https://www.latex-project.org/get)" >&2
fi
