"""A diagnosis in R: distances, likelihood, log score and CRPS of topics."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.common.text import counted, listed
from cdfscore.diagnosis.diagnosis import Diagnosis
from cdfscore.errors import SchemeError, VerificationError
from cdfscore.r.analysis import AnalysisInR, Checked, Part, terms_of_bound
from cdfscore.r.verify import in_r
from cdfscore.standardization.standardized import Standardized
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme

#: The numbers, in the order of ``diagnosis.R``.
NUMBERS = ("ks", "ad", "cvm", "log_likelihood", "aic", "bic", "log_score", "crps")
_RELATIVE = Tolerance(
    4.5e8, "R integrates numerically, and takes differences of the cdf; 1e-7 of the number"
)
#: Seconds that R may take.
_MOST = 60


@in_r.register
def _(result: Diagnosis) -> tuple[Standardized, tuple[Part, ...]]:
    if result.standardized is None:
        raise VerificationError(
            f"the diagnosis is of {listed(result.schemes)}, and R computes that of one scheme "
            "that is fitted to the scores; expected diagnose with one scheme"
        )
    found = result.standardized()
    scheme, fits = found.factors.fitted.scheme, result.fits
    fits = fits[fits["fitted"].astype(bool)]
    if not len(fits):
        raise SchemeError("no topic has different scores, so that there is nothing to diagnose")
    each = _seconds(scheme, float(fits["n"].max()))
    if each > 2 * _MOST:
        raise SchemeError(
            f"R would take about {each / 60:,.0f} minutes for the diagnosis of a topic by "
            f"{scheme}, and the limit is {2 * _MOST // 60}; expected fewer systems, or a "
            "scheme that R fits faster"
        )
    step = max(1, int(np.ceil(len(fits) * each / _MOST)))
    return found, (_Diagnosed(scheme, fits.iloc[::step], len(fits), result.resolution.width),)


def _seconds(scheme: Scheme, n: float) -> float:
    fits = [scheme] if scheme.component is None else [scheme, scheme.component]
    each = sum(own.seconds_in_r for own in fits)
    return n * (n + 30) * (3e-5 + each / 3 * (each > 3e-4))


@dataclass(frozen=True, eq=False)
class _Diagnosed(Part):
    scheme: Scheme
    fits: pd.DataFrame
    topics: int
    resolution: float

    sources = (
        Path(__file__).with_name("diagnosis.R"),
        Path(__file__).with_name("diagnosed.R"),
    )
    function = "analyze_diagnosis"
    given = ("settled", "how")

    @property
    def numbers(self) -> list[Checked]:
        labels = list(self.fits["topic"])
        found = []
        for name in self._names:
            values = self.fits[name].to_numpy(dtype=np.float64)
            # A distance may be 0 but for the error of an integral.
            terms = np.full(len(values), 0.0 if name == "crps" else 0.01)
            if name not in ("ks", "ad", "cvm", "crps"):
                # A log likelihood is a sum of terms near or above 1. A probability near 2^-53, a
                # difference of two cdfs, has no right digit, and its logarithm is right to 1 or 2.
                own = "floored_left_out" if name == "log_score" else "floored"
                few = self.fits[own].to_numpy(dtype=np.float64) / self._count(name)
                terms = np.fmax(np.abs(values) + 2.0, terms_of_bound(4 * few, _RELATIVE))
            quantity = f"diagnosis: {name.replace('_', ' ')}"
            found.append(Checked.row(quantity, labels, values, _RELATIVE, terms, "statistic"))
        return found

    @property
    def _names(self) -> list[str]:
        without = {"log_score"} if self.scheme.degree_between == 0 else set()
        if self.scheme.free_parameters is None:
            without |= {"aic", "bic"}
        return [name for name in NUMBERS if name not in without]

    def _count(self, name: str) -> Array:
        n = self.fits["n"].to_numpy(dtype=np.float64)
        return n if name == "log_score" else np.ones(len(n))

    @property
    def arguments(self) -> dict[str, Any]:
        parameters = self.scheme.free_parameters
        return {
            "topics": list(self.fits["topic"]),
            "resolution": self.resolution,
            "numbers": self._names,
            "parameters": 0.0 if parameters is None else float(parameters),
        }

    @property
    def told(self) -> str:
        return f"diagnosis of {counted(len(self.fits), 'topic')}"

    def notes_on(self, theirs: AnalysisInR) -> list[str]:
        if len(self.fits) == self.topics:
            return []
        return [
            f"R diagnoses {len(self.fits):,} of {self.topics:,} topics, evenly spaced, since all "
            "would take more than about a minute"
        ]
