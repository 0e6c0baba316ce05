#!/usr/bin/env bash
# Install R where that can be done unasked; elsewhere say how, and what is skipped without it.
# The packages are second opinions: logspline on the family, ks on kernel cdfs, mvtnorm and multcomp
# on Dunnett's test, car, emmeans, lme4 and lmerTest on linear models. reticulate runs
# docs/reticulate.md. testthat and rmarkdown build and check r-package.
set -euo pipefail
packages=(logspline ks mvtnorm multcomp car emmeans lme4 lmerTest reticulate testthat rmarkdown)

# Debian's name of a package of R.
debian() {
    echo "r-cran-$(echo "$1" | tr '[:upper:]' '[:lower:]')"
}

missing=()
if command -v R >/dev/null; then
    for package in "${packages[@]}"; do
        Rscript -e "quit(status = !requireNamespace('$package', quietly = TRUE))" >/dev/null 2>&1 ||
            missing+=("$(debian "$package")")
    done
else
    missing=(r-base-core)
    for package in "${packages[@]}"; do missing+=("$(debian "$package")"); done
fi
if [ "${#missing[@]}" = 0 ]; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing R (apt-get install ${missing[*]})"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
else
    echo "Of R this is not installed: ${missing[*]} (Debian: sudo apt-get install ${missing[*]};" \
        "others: https://www.r-project.org and install.packages), or the tests that compare" \
        "with R are skipped." >&2
fi
