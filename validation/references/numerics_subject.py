"""The functions of numbers that must have R's bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.moments import mean, mean_and_sd, single_pass_mean, total
from cdfscore.stats.numerics.quantiles import quantile_r
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import nrd0
from validation.references.running_r import evaluate
from validation.references.samples import BY_HAND, of_every_kind

# Calls in R, and ours.
MOMENTS: dict[str, Callable[[Array], Array]] = {
    "mean(scores, na.rm = TRUE)": mean,
    "sum(scores, na.rm = TRUE)": total,
    "colMeans(matrix(scores), na.rm = TRUE)": single_pass_mean,
}
SPREADS: dict[str, Callable[[Array], Array]] = {
    "sd(scores, na.rm = TRUE)": lambda scores: mean_and_sd(scores)[1],
}
# On a constant sample R's bandwidth is |x_1| or 1, and ours 0, on purpose.
BANDWIDTHS: dict[str, Callable[[Array], Array]] = {
    "bw.nrd0(scores[!is.na(scores)])": lambda scores: nrd0(scores, np.sort(scores)),
}
QUANTILES: dict[str, Callable[[Array, Array], Array]] = {
    "quantile(scores, p, na.rm = TRUE, names = FALSE, type = 7)": quantile_r,
}


class NumericsSubject:
    """Moments and the bandwidth of `scores`, and their quantiles at `p`, by the call in R."""

    tolerance = Tolerance(0, "the same bits")

    def call(self) -> dict[str, list[str]]:
        return {"expressions": [*MOMENTS, *SPREADS, *BANDWIDTHS, *QUANTILES]}

    def inputs(self) -> dict[str, dict[str, Array]]:
        hand = {label: np.array(scores) for label, scores in BY_HAND.items()}
        samples = hand.copy()
        for n in (2, 3, 5, 51, 129):
            samples |= of_every_kind(n)
        for n in (4, 9):
            hand |= of_every_kind(n)
        at = {
            f"quantiles of {label}": {"scores": s, "p": _probabilities(s)}
            for label, s in hand.items()
        }
        return {label: {"scores": s} for label, s in samples.items()} | at

    def by_python(self, inputs: dict[str, Array]) -> dict[str, Array]:
        arguments = [inputs[name] for name in ("scores", "p") if name in inputs]
        return {call: ours(*arguments) for call, ours in _apply_to(inputs).items()}

    def by_r(self, r: RSession, inputs: dict[str, Array]) -> dict[str, Array]:
        return {call: np.array(evaluate(r, call, inputs)) for call in _apply_to(inputs)}


def _apply_to(inputs: dict[str, Array]) -> dict[str, Callable[..., Array]]:
    """Return the calls that are defined for these inputs."""
    if "p" in inputs:
        return dict(QUANTILES)
    scores = inputs["scores"][~np.isnan(inputs["scores"])]
    spreads = SPREADS if len(scores) > 1 else {}
    return MOMENTS | spreads | (BANDWIDTHS if np.ptp(scores) > 0 else {})


def _probabilities(scores: Array) -> Array:
    """Return p where types of quantile step or turn, and others."""
    n = np.count_nonzero(~np.isnan(scores))
    steps = np.array([1 / n, (n // 2) / n, 1 / (n + 1), 0.5 / n])
    return np.unique([0, 0.05, 0.25, 1 / 3, 0.5, 0.7, 0.9, 1, *steps, *np.nextafter(steps, 0)])
