"""``make peers``: the same jobs with other packages, their times and their p values.

``python -m validation.benchmarks.peers docs/comparison_with_others.md`` writes the tables of that
page. The packages take turns; the median of three turns is shown. The p values are compared with
ours: a large difference means another test, which the page explains.
"""

from __future__ import annotations

import contextlib
import io
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rpy2 import rinterface
from scipy import stats
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.multitest import multipletests

from cdfscore import compare, datasets
from cdfscore.stats.numerics.types import Array
from validation import pages
from validation.benchmarks.__main__ import describe_setting
from validation.benchmarks.standardization import r_version

SYSTEMS = 20
_TURNS = 3
PACKAGES = (
    *("cdfscore", "scipy", "statsmodels", "pingouin", "scikit-posthocs", "autorank"),
    *("ranx", "repro_eval"),
)

#: Returns the p values of all pairs, in the order of `numpy.triu_indices`.
Run = Callable[[], Array]


@dataclass(frozen=True)
class Row:
    """A package at a job; `largest` is the largest difference of a p value from ours."""

    package: str
    call: str
    milliseconds: float
    largest: float


def main() -> None:
    """Write the tables, or print them."""
    warnings.simplefilter("ignore")  # of other packages, about themselves
    scores = datasets.load_cranfield("ap").iloc[:, :SYSTEMS]
    block = pages.rendered(
        "benchmarks/peers.md.jinja",
        setting=describe_setting(),
        versions=[*(f"{name} {version(name)}" for name in PACKAGES), r_version()],
        jobs=[(title, rows_of(runs)) for title, runs in jobs(scores)],
        systems=SYSTEMS,
        topics=len(scores),
    )
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        page.write_text(pages.rewritten(page.read_text("utf-8"), block), "utf-8")
    else:
        sys.stdout.write(block)


def rows_of(runs: dict[tuple[str, str], Run]) -> list[Row]:
    """Run the alternatives in turns; ours is the first."""
    found: dict[tuple[str, str], list[tuple[float, Array]]] = {key: [] for key in runs}
    for turn in range(_TURNS + 1):  # the first loads and compiles
        for key, run in runs.items():
            start = time.perf_counter()
            with contextlib.redirect_stdout(io.StringIO()):
                p = run()
            if turn:
                found[key].append((time.perf_counter() - start, p))
    ours = next(iter(found.values()))[0][1]
    return [
        Row(
            *key,
            1e3 * statistics.median(seconds for seconds, _ in turns),
            float(np.abs(turns[0][1] - ours).max()),
        )
        for key, turns in found.items()
    ]


def jobs(scores: pd.DataFrame) -> Iterator[tuple[str, dict[tuple[str, str], Run]]]:
    """Yield each job with its alternatives, by package and call."""
    import pingouin
    import scikit_posthocs
    from autorank import autorank
    from ranx.statistical_tests import paired_student_t_test, tukey_hsd_test
    from repro_eval.measure.statistics import ttest

    values = scores.to_numpy()
    systems = np.ascontiguousarray(values.T)
    first, second = np.triu_indices(SYSTEMS, 1)
    pairs = list(zip(first, second, strict=True))
    long = scores.rename_axis("topic").rename_axis(columns="system").stack().rename("score")
    rows = long.reset_index()
    in_r = _in_r(values)
    by_topic = [{str(t): {"ap": x} for t, x in scores[name].items()} for name in scores]

    def ours(test: str) -> Run:
        return lambda: compare(scores, test).table["p_adjusted"].to_numpy()

    def holm(p: Any) -> Array:
        return np.asarray(multipletests(p, method="holm")[1])

    def upper(table: Any) -> Array:
        return np.asarray(table)[first, second]

    def pairwise(**how: Any) -> Array:
        found = pingouin.pairwise_tests(
            rows, dv="score", within="system", subject="topic", padjust="holm", **how
        )
        return _in_our_order(found["A"], found["B"], found["p_corr"], scores)

    yield (
        "Paired t test of all pairs, with Holm's correction",
        {
            ("cdfscore", 'compare(scores, "paired_t")'): ours("paired_t"),
            ("SciPy, statsmodels", "ttest_rel in a loop, multipletests"): lambda: holm(
                [stats.ttest_rel(systems[i], systems[j]).pvalue for i, j in pairs]
            ),
            ("pingouin", "pairwise_tests"): pairwise,
            ("ranx, statsmodels", "paired_student_t_test in a loop, multipletests"): lambda: holm(
                [paired_student_t_test(systems[i], systems[j])[0] for i, j in pairs]
            ),
            ("repro_eval, statsmodels", "ttest in a loop, multipletests"): lambda: holm(
                [ttest(by_topic[i], by_topic[j])["ap"] for i, j in pairs]
            ),
            ("R", "pairwise.t.test(paired = TRUE)"): in_r("paired_t"),
        },
    )
    yield (
        "Wilcoxon signed-rank test of all pairs, with Holm's correction",
        {
            ("cdfscore", 'compare(scores, "wilcoxon_signed_rank")'): ours("wilcoxon_signed_rank"),
            ("SciPy, statsmodels", "wilcoxon in a loop, multipletests"): lambda: holm(
                [stats.wilcoxon(systems[i], systems[j]).pvalue for i, j in pairs]
            ),
            ("pingouin", "pairwise_tests(parametric=False)"): lambda: pairwise(parametric=False),
            ("scikit-posthocs", "posthoc_wilcoxon"): lambda: upper(
                scikit_posthocs.posthoc_wilcoxon(list(systems), p_adjust="holm")
            ),
            ("R", "pairwise.wilcox.test(paired = TRUE)"): in_r("wilcoxon_signed_rank"),
        },
    )
    yield (
        "Nemenyi's test of all pairs, after Friedman's",
        {
            ("cdfscore", 'compare(scores, "nemenyi")'): ours("nemenyi"),
            ("scikit-posthocs", "posthoc_nemenyi_friedman"): lambda: upper(
                scikit_posthocs.posthoc_nemenyi_friedman(values)
            ),
            ("autorank", "autorank (gives no p value of a pair)"): lambda: np.full(
                len(first), np.nan * autorank(scores).pvalue
            ),
        },
    )
    yield (
        "Tukey's HSD of all pairs",
        {
            ("cdfscore", 'compare(scores, "tukey_hsd")'): ours("tukey_hsd"),
            ("R", "TukeyHSD(aov(score ~ system + topic))"): in_r("tukey_hsd"),
            ("statsmodels", "pairwise_tukeyhsd, no topics"): lambda: np.asarray(
                pairwise_tukeyhsd(rows["score"], rows["system"].map(_places(scores))).pvalues
            ),
            ("pingouin", "pairwise_tukey, no topics"): lambda: _of_tukey(
                pingouin.pairwise_tukey(rows, dv="score", between="system"), scores
            ),
            ("ranx", "tukey_hsd_test, no topics"): lambda: _of_ranx(
                tukey_hsd_test(list(scores), list(systems), 0.05), scores
            ),
        },
    )


def _places(scores: pd.DataFrame) -> dict[str, int]:
    return {name: place for place, name in enumerate(scores.columns)}


def _of_tukey(found: pd.DataFrame, scores: pd.DataFrame) -> Array:
    column = next(name for name in found.columns if name.startswith("p"))
    return _in_our_order(found["A"], found["B"], found[column], scores)


def _of_ranx(found: list[dict[str, Any]], scores: pd.DataFrame) -> Array:
    columns = (np.array([row[key] for row in found]) for key in ("control", "treatment", "p-value"))
    return _in_our_order(*columns, scores)


def _in_our_order(a: Any, b: Any, p: Any, scores: pd.DataFrame) -> Array:
    """Return the p values of pairs of names in the order of `numpy.triu_indices`."""
    place = _places(scores)
    table = np.full((SYSTEMS, SYSTEMS), np.nan)
    for one, other, value in zip(a, b, p, strict=True):
        table[place[one], place[other]] = table[place[other], place[one]] = value
    return np.asarray(table[np.triu_indices(SYSTEMS, 1)])


def _in_r(values: Array) -> Callable[[str], Run]:
    rinterface.initr()
    rinterface.baseenv["source"](str(Path(__file__).with_name("peers.R")))
    matrix = rinterface.baseenv["matrix"](
        rinterface.FloatSexpVector(values.ravel(order="F")), *values.shape
    )
    return lambda job: lambda: np.array(rinterface.globalenv["timed"](job, matrix))[1:]


if __name__ == "__main__":
    main()
