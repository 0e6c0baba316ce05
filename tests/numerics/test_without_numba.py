"""No test, scheme or figure of a matrix as large as Robust 2004 loads numba, unless it has to."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cdfscore.plots.kinds import KINDS
from cdfscore.stats.schemes.base import schemes
from cdfscore.stats.significance.contract import significance_tests

COMMANDS = [
    "standardize SCORES --scheme normal -o OUT.csv",
    "compare SCORES --scheme empirical --test paired_t -o OUT.csv",
    "correlate SCORES SCORES -o OUT.csv",
    "tests --advise SCORES",
    "report SCORES --scheme empirical --no-verify -o OUT.html",
    "verify SCORES --scheme empirical --test kendall --script OUT.R",
    "diagnose SCORES --scheme normal --scheme empirical --bootstrap 0 -o OUT.csv",
]
#: What else a member needs.
NEEDED = {
    "equivalence_t": "equivalence_t:margin=0.05",
    "dunnett": "dunnett --baseline s0",
    "from_scipy": "from_scipy:dist=gumbel_r",
    "mapping": "mapping --scheme empirical",
    "pit": "pit --scheme normal",
    "schemes": "schemes --scheme normal --scheme empirical",
    "sensitivity": "sensitivity --scheme normal --test paired_t --test sign",
    "slope": "slope --scheme normal",
    "standardized": "standardized --scheme normal",
    "dkw": "dkw --topic t1 --scheme normal",
}
#: Families that are fitted by iteration.
FITTED = {
    *("beta", "beta_binomial", "gamma", "johnson_su", "kumaraswamy", "logspline", "mixture"),
    *("truncated_normal", "zero_inflated"),
}
#: Of one sample, which `compare` does not have.
ONE_SAMPLE = {"one_sample_t"}
TESTS = [
    f"compare SCORES --test {NEEDED.get(name, name)} -o OUT.csv"
    for name in significance_tests.names()
    if name not in ONE_SAMPLE and "B" not in significance_tests.load(name).setting_names
]
SCHEMES = [
    f"standardize SCORES --scheme {NEEDED.get(name, name)} -o OUT.csv"
    for name in schemes.names()
    if name not in FITTED
]
FIGURES = [f"plot {NEEDED.get(kind.name, kind.name)} SCORES -o OUT.svg" for kind in KINDS]


@pytest.mark.parametrize(
    "lines",
    [COMMANDS, TESTS, SCHEMES, pytest.param(FIGURES, marks=pytest.mark.long)],
    ids=["commands", "tests", "schemes", "figures"],
)
def test_no_numba(lines: list[str], tmp_path: Path, *, long: bool) -> None:
    rows = np.random.default_rng(0).uniform(0.1, 0.9, (249, 110)).round(4).tolist()
    table = [["topic", *(f"s{j}" for j in range(110))]]
    table += [[f"t{i}", *map(repr, row)] for i, row in enumerate(rows)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(map(",".join, table)) + "\n")
    named = [
        line.replace("SCORES", str(path)).replace("OUT", str(tmp_path / f"out{k}"))
        for k, line in enumerate(lines)
        if long or lines is COMMANDS or k % 2
    ]
    code = (
        "import sys, cdfscore.cli\n"
        f"for line in {named}:\n"
        "    sys.argv = ['cdfscore', *line.split()]\n"
        "    try: cdfscore.cli.main()\n"
        "    except SystemExit as end: assert not end.code, line\n"
        "    assert 'numba' not in sys.modules, line"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
