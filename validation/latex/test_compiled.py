"""LaTeX of results compiles: no error, no undefined label, no lost character, nothing too wide."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, datasets, diagnosis, sensitivity
from cdfscore.models import anova, mixed_model, plan
from cdfscore.showing import Shown

AP = datasets.load_cranfield("ap")
GRID, PARTS = datasets.load_cranfield_grid("ap"), datasets.load_cranfield_components()
NASTY = ["a_1 & b", "50% {of} $x$", '#~^\\*[`"', "--- |<b>|", "plain"]
DOCUMENT = r"""
\documentclass{article}
\usepackage[T1]{fontenc}
%s
\begin{document}
Tables %s.
%s
\end{document}
"""


def nasty() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(rng.random((12, 5)), columns=NASTY)


def named(letters: int, systems: int = 5) -> pd.DataFrame:
    """Return scores of systems whose names have so many letters, and nowhere to break."""
    random = np.random.default_rng(letters)
    names = [
        f"s{i:02d}" + "".join(random.choice([*"abcmABM"], letters - 3)) for i in range(systems)
    ]
    return pd.DataFrame(AP.iloc[:30, :systems].to_numpy(), columns=names)


# Tables of many columns, which are too wide for an article, and say so.
WIDER = {"diagnosis": "Fit of distributions"}
SCHEMES = ["raw", "kernel", "empirical"]
FEW = AP.iloc[:30, :6]
RESULTS: dict[str, Callable[[], Shown]] = {
    "two schemes": lambda: compare(FEW, "paired_t", scheme=["raw", "empirical"]),
    "nasty names": lambda: compare(nasty(), "sign", effect=""),
    "letters: 4": lambda: compare(named(4), "paired_t", scheme=SCHEMES),
    "letters: 16": lambda: compare(named(16), "paired_t", scheme=SCHEMES),
    "letters: 30": lambda: compare(named(30), "wilcoxon_signed_rank:conf_int=True", scheme=SCHEMES),
    "letters: 60": lambda: compare(named(60), "paired_t", scheme=SCHEMES),
    "30 systems": lambda: compare(named(30, 30), "tukey_hsd"),
    "30 systems, ordinary names": lambda: compare(AP.iloc[:, :30], "paired_t", scheme="normal"),
    "67 systems": lambda: compare(AP, "tukey_hsd"),
    "mean ranks": lambda: compare(FEW, "nemenyi"),
    "all systems": lambda: compare(FEW, "friedman"),
    "baseline": lambda: compare(FEW, "dunnett", baselines=str(FEW.columns[0])),
    "reference": lambda: compare(
        FEW, "paired_t", scheme="normal", reference=AP.iloc[:30, 8:], reference_uncertainty=200
    ),
    "factors": lambda: Standardizer("normal").fit(AP),
    "standardized": lambda: Standardizer("normal").standardize(AP),
    "sensitivity": lambda: sensitivity(FEW, ["raw", "normal", "empirical"]),
    "diagnosis": lambda: diagnosis.diagnose(FEW, ["normal", "empirical"], bootstrap=0),
    "anova": lambda: anova(GRID, "score ~ topic + stemmer * model", PARTS),
    "mixed model": lambda: mixed_model(GRID, "score ~ stemmer", PARTS, random=["topic"]),
    "plan": lambda: plan(FEW, "paired_t:difference=0.05"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_it_compiles(name: str, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.fail("pdflatex is not installed; Debian: apt-get install texlive-latex-recommended")
    with warnings.catch_warnings(action="ignore"):
        text = RESULTS[name]().to_latex()
    packages = "\n".join(re.findall(r"^% (\\usepackage\{\w+\})$", text, flags=re.MULTILINE))
    labels = re.findall(r"\\label\{([^}]*)\}", text)
    assert len(labels) == len(set(labels)) == text.count(r"\caption") > 0
    references = ", ".join(rf"\ref{{{label}}}" for label in labels)
    file = tmp_path / "result.tex"
    file.write_text(DOCUMENT % (packages, references, text), encoding="utf-8")
    for _ in range(3):  # references, and widths of long tables
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", file.name],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "result.pdf").is_file()
    assert not re.search(r"undefined|Missing character|multiply defined|Float too", done.stdout)
    if f"The table {WIDER.get(name)} is wider than the text of an article" not in text:
        assert re.findall(r"Overfull .*", done.stdout) == []
        assert name not in WIDER
        assert "is wider than the text" not in text
