"""Standardization of a 249 x 110 matrix, beside SciPy, pandas and R."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from rpy2 import rinterface
from scipy import stats
from statsmodels.nonparametric.api import KDEMultivariate

from cdfscore import Standardizer, read_scores
from cdfscore.errors import ScoresError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Kernel, Normal
from cdfscore.stats.schemes.base import Scheme
from validation.benchmarks.timing import Job

TOPICS, SYSTEMS = 249, 110
MANY, SOME = 100_000, 1000


def jobs() -> list[Job]:
    """Return the jobs, on the average precision of the TREC 2004 Robust systems."""
    frame = robust2004()
    scores = frame.to_numpy()
    size = f"Robust 2004 AP, {TOPICS} topics x {SYSTEMS} systems"
    in_r = timer_in_r(scores, runs=10)
    return [
        Job(
            f"E-std, fit and transform, {size}",
            {
                "cdfscore Empirical": _fit_and_apply(Empirical(), scores),
                "scipy.stats.rankdata(axis=1) / n": quiet(
                    lambda: stats.rankdata(scores, method="max", axis=1) / SYSTEMS
                ),
                "pandas rank(axis=1, pct=True)": quiet(
                    lambda: frame.rank(axis=1, method="max", pct=True)
                ),
                "R rank, row by row": in_r("rank"),
                "R ecdf, row by row": in_r("ecdf"),
                "cdfscore Standardizer (labelled)": _standardize("empirical", frame),
            },
        ),
        Job(
            f"N-std, fit and transform, {size}",
            {
                "cdfscore Normal": _fit_and_apply(Normal(), scores),
                "NumPy and scipy.stats.norm.cdf": quiet(
                    lambda: stats.norm.cdf(
                        scores,
                        scores.mean(axis=1, keepdims=True),
                        scores.std(axis=1, ddof=1, keepdims=True),
                    )
                ),
                "R pnorm, whole matrix": in_r("pnorm_vectorized"),
                "R pnorm, row by row": in_r("pnorm"),
                "cdfscore Standardizer (labelled)": _standardize("normal", frame),
                "cdfscore Standardizer (labelled), a copy of the frame each time": quiet(
                    lambda: _fit_and_transform(Standardizer("normal"), frame.copy())
                ),
            },
        ),
        Job(
            f"Gaussian kernel with nrd0, fit and transform, {size}",
            {
                "cdfscore Kernel": _fit_and_apply(Kernel(), scores),
                "statsmodels KDEMultivariate, row by row": quiet(
                    lambda: [
                        KDEMultivariate(row, "c", bw="normal_reference").cdf(row) for row in scores
                    ]
                ),
                "R, row by row": in_r("kernel"),
            },
            runs=5,
        ),
        Job(
            f"Gaussian kernel with sj, fit and transform, {size}",
            {
                "cdfscore Kernel": _fit_and_apply(Kernel("sj"), scores),
                "R bw.SJ and pnorm, row by row": in_r("kernel_sj"),
            },
            runs=3,
        ),
    ]


def data(name: str) -> Path:
    """Return the place of data, of which the project has no copy."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(os.environ.get("CDFSCORE_DATA", beside)).resolve() / name


def robust2004() -> pd.DataFrame:
    """Read the score matrix."""
    try:
        return read_scores(data("robust2004/robust2004_ap.csv"))
    except ScoresError as error:
        raise SystemExit(f"{error} (CDFSCORE_DATA names the folder of the data)") from error


def r_version() -> str:
    """Return such as "R 4.2.2"."""
    rinterface.initr()
    version = rinterface.baseenv["R.version"]
    parts = dict(zip(version.names, version, strict=True))
    return f"R {parts['major'][0]}.{parts['minor'][0]}"


def _fit_and_apply(scheme: Scheme, scores: Array) -> Callable[[], None]:
    return quiet(lambda: scheme.fit(scores)(scores))


def _standardize(scheme: str, frame: pd.DataFrame) -> Callable[[], None]:
    return quiet(lambda: Standardizer(scheme).fit_transform(frame))


def _fit_and_transform(standardizer: Standardizer, frame: pd.DataFrame) -> pd.DataFrame:
    return standardizer.fit(frame).transform(frame)


def quiet(run: Callable[[], object]) -> Callable[[], None]:
    """Return a call that gives nothing back."""

    def without_result() -> None:
        run()

    return without_result


def timer_in_r(scores: Array, runs: int) -> Callable[[str], Callable[[], float]]:
    """Let R time itself on the same matrix, so that no conversion is counted."""
    rinterface.initr()
    rinterface.baseenv["source"](str(Path(__file__).with_name("r_jobs.R")))
    values = rinterface.FloatSexpVector(scores.ravel(order="F"))
    matrix = rinterface.baseenv["matrix"](values, TOPICS, SYSTEMS)
    return lambda job: lambda: float(rinterface.globalenv["seconds"](job, matrix, runs)[0])
