"""Raw, R-normalized and standardized measures on real runs: writes docs/measures.md.

``python -m validation.trec_eval.measures_compared`` measures the 67 systems of the Cranfield
collection by the measures of Webber, Moffat and Zobel (2008), standardizes the scores, and
compares.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from cdfscore import Standardizer
from cdfscore.retrieval import measure
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.rank_correlation import drmse, drmse_geometric
from cdfscore.stats.significance import paired_t
from validation import pages
from validation.trec_eval.cranfield_runs import Cranfield

PAGE = Path(__file__).parents[2] / "docs" / "measures.md"
ALPHA = 0.05
#: Raw measures and their R-normalized forms.
FORMS = {
    "P@10": "nP@10",
    "RBP(p=0.95)": "nRBP(p=0.95)",
    "SP": "AP",
    "DCG(b=2)": "nDCG(b=2)",
    "VDCG": "nVDCG",
}
#: Schemes of which a factor for each topic changes nothing but rounding, and others.
SCHEMES = (
    "normal",
    "z",
    "uniform",
    "empirical",
    "minmax",
    "sum",
    "exponential",
    "max",
    "kernel",
    "kernel:bandwidth=0.1",
    "centered",
    "raw",
)
INVARIANT = frozenset(SCHEMES) - {"kernel:bandwidth=0.1", "centered", "raw"}
#: Schemes whose discriminative power is compared.
COMPARED = ("raw", "centered", "max", "normal", "empirical")
#: Of those, the ones that have the same scores of both forms.
SAME_SCORES = ("max", "normal", "empirical")
#: The arithmetic and the geometric mean differ by less than this part of dRMSE.
ALMOST = 0.01
#: Larger differences than rounding makes.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Found:
    """The numbers of the page.

    Attributes
    ----------
    topics, systems
        Of the collection.
    differences
        Largest difference between the standardized scores of a raw measure and of its
        R-normalized form, by raw measure and scheme.
    power
        Proportion of the pairs of systems that are significantly different, by measure and
        scheme.
    drmse
        Distance between the means on the odd and the even topics, by measure and scheme: dRMSE
        with the arithmetic and with the geometric mean of the standard deviations.
    same_pairs
        Whether they are the same of a raw measure and of its R-normalized form.
    """

    topics: int
    systems: int
    differences: Mapping[str, Mapping[str, float]]
    power: Mapping[str, Mapping[str, float]]
    drmse: Mapping[str, Mapping[str, tuple[float, float]]]
    same_pairs: Mapping[str, Mapping[str, bool]]


def main() -> None:
    beside = Path(__file__).parents[3] / "shared" / "data"
    data = Path(os.environ.get("CDFSCORE_DATA", beside))
    PAGE.write_text(text(found_in(matrices(Cranfield.of(data / "cranfield")))), encoding="utf-8")


def matrices(cranfield: Cranfield) -> Mapping[str, pd.DataFrame]:
    """Measure the systems by all measures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = cranfield.write_runs(folder)
        qrels = cranfield.write_qrels(folder / "qrels")
        return measure(runs, qrels, [*FORMS, *FORMS.values()]).matrices


def found_in(scores: Mapping[str, pd.DataFrame]) -> Found:
    """Standardize and compare the scores of each measure."""
    topics, systems = scores["SP"].shape
    different = {
        name: {scheme: _different(scheme, each) for scheme in COMPARED}
        for name, each in scores.items()
    }
    return Found(
        topics,
        systems,
        {
            raw: {scheme: _difference(scheme, scores[raw], scores[form]) for scheme in SCHEMES}
            for raw, form in FORMS.items()
        },
        {
            name: {scheme: float(pairs.mean()) for scheme, pairs in by_scheme.items()}
            for name, by_scheme in different.items()
        },
        {
            name: {scheme: _drmse(scheme, each) for scheme in COMPARED}
            for name, each in scores.items()
        },
        {
            raw: {
                scheme: np.array_equal(pairs, different[form][scheme])
                for scheme, pairs in different[raw].items()
            }
            for raw, form in FORMS.items()
        },
    )


def _standardized(scheme: str, scores: pd.DataFrame) -> Array:
    return Standardizer(scheme).standardize(scores).scores.to_numpy()


def _difference(scheme: str, raw: pd.DataFrame, form: pd.DataFrame) -> float:
    first, second = _standardized(scheme, raw), _standardized(scheme, form)
    with np.errstate(invalid="ignore"):  # of infinite z-scores, which are equal
        return float(np.where(first == second, 0.0, np.abs(first - second)).max())


def _different(scheme: str, scores: pd.DataFrame) -> BoolArray:
    """Tell which pairs of systems the paired t test finds different."""
    values = _standardized(scheme, scores)
    first, second = np.triu_indices(values.shape[1], 1)
    p = paired_t.over_pairs(values, first, second).p_value
    return np.asarray(np.nan_to_num(p, nan=1.0) <= ALPHA)


def _drmse(scheme: str, scores: pd.DataFrame) -> tuple[float, float]:
    """Return dRMSE between odd and even topics, by either mean of the standard deviations."""
    values = _standardized(scheme, scores)
    halves = values[::2].mean(axis=0), values[1::2].mean(axis=0)
    return float(drmse(*halves)), float(drmse_geometric(*halves))


def text(found: Found) -> str:
    """Return the page."""
    return pages.rendered(
        "trec_eval/measures_compared.md.jinja",
        page_claims(found),
        found=found,
        forms=FORMS,
        schemes=SCHEMES,
        compared=COMPARED,
        pairs=found.systems * (found.systems - 1) // 2,
        alpha=ALPHA,
        python=platform.python_version(),
        numpy=np.__version__,
    )


def page_claims(found: Found) -> dict[str, bool]:
    """Return what the page says in words, and whether it is so."""
    return {
        "the same except for rounding": all(
            by_scheme[scheme] < ROUNDING
            for by_scheme in found.differences.values()
            for scheme in INVARIANT
        ),
        "their results differ": all(
            by_scheme[scheme] > ROUNDING
            for by_scheme in found.differences.values()
            for scheme in set(SCHEMES) - INVARIANT
        ),
        "E-std gives the same doubles": all(
            by_scheme["empirical"] == 0 for by_scheme in found.differences.values()
        ),
        "the raw and the R-normalized form have the same pairs": all(
            same[scheme] for same in found.same_pairs.values() for scheme in SAME_SCORES
        ),
        "the pairs are those of raw scores": all(
            by_scheme["centered"] == by_scheme["raw"] for by_scheme in found.power.values()
        ),
        "The geometric mean gives almost the same numbers": all(
            abs(geometric - arithmetic) < ALMOST * arithmetic
            for by_scheme in found.drmse.values()
            for arithmetic, geometric in by_scheme.values()
        ),
        "the two forms differ": not any(same["raw"] for same in found.same_pairs.values()),
    }


if __name__ == "__main__":
    main()
