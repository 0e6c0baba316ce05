"""The kernel-smoothed distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.bandwidths.normal_reference import nrd0
from cdfscore.numerics.moments import count
from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.numerics.z_scores import z_scores
from cdfscore.schemes import Distribution, Parameters

# Normal cdf values computed at a time; bounds the memory for a matrix of many topics.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Kernel(Distribution):
    """The empirical distribution, smoothed by a Gaussian kernel.

    y = (1/n) sum_i Phi((x - x_i) / h) over the n reference scores. `bandwidth` is h itself,
    in units of the score, or "nrd0": h = 0.9 min(sd, IQR / 1.34) n^(-1/5) for each topic, as
    R's ``bw.nrd0``; Silverman (1986), Eq. 3.31. R's fallbacks for IQR = 0 are R's; for a
    constant topic, where R falls back to |x_1| or 1, h is 0. Scores have shape (..., n); y
    has no unit and lies in [0, 1].

    Constant topic: with a number for h, the formula holds as it stands. With "nrd0", h goes
    to 0 with the spread, and y is 0 left of the common score, 1/2 at it and 1 right of it.

    Raises `SchemeError` for a bandwidth that is neither a number above 0 nor "nrd0", and
    `FitError` for a topic without reference scores, or with fewer than two under "nrd0".

    Examples
    --------
    >>> Kernel(bandwidth=0.1).fit([0.1, 0.2, 0.3])([0.1, 0.2]).round(4).tolist()
    [0.2271, 0.5]
    """

    bandwidth: float | Literal["nrd0"] = "nrd0"

    formula = "y = mean(Phi((x - x_i) / h))"
    source = "Silverman (1986), Eq. 3.31 for the bandwidth nrd0"

    def __post_init__(self) -> None:
        h = self.bandwidth
        if h != "nrd0" and not (isinstance(h, (int, float)) and 0 < h < math.inf):
            raise SchemeError(
                f"kernel: bandwidth={h} is not accepted; expected a number above 0 or 'nrd0'"
            )

    @property
    def minimum_scores(self) -> int:  # type: ignore[override]
        return 2 if self.bandwidth == "nrd0" else 1

    @property
    def needs_spread(self) -> bool:  # type: ignore[override]
        return self.bandwidth == "nrd0"

    def estimate(self, scores: Array) -> Parameters:
        sample = np.sort(scores, axis=-1)
        if self.bandwidth == "nrd0":
            return {"sample": sample, "bandwidth": nrd0(scores, sample)}
        return {"sample": sample, "bandwidth": np.full_like(sample[..., :1], self.bandwidth)}

    def evaluate(self, x: Array, sample: Array, bandwidth: Array) -> Array:
        topics = bandwidth.size  # said, not inferred, as x may have no columns
        rows = (x.reshape(topics, x.shape[-1]), sample.reshape(topics, sample.shape[-1]))
        h = bandwidth.reshape(-1, 1, 1)
        y = np.empty(rows[0].shape)
        step = max(1, _BLOCK // max(1, x.shape[-1] * sample.shape[-1]))
        for start in range(0, len(y), step):
            block = slice(start, start + step)
            y[block] = _smoothed(rows[0][block], rows[1][block], h[block])
        return y.reshape(x.shape)

    def support(self, sample: Array, bandwidth: Array) -> tuple[Array, Array]:
        infinity = np.where(bandwidth > 0, np.inf, 0.0)
        return sample[..., :1] - infinity, sample[..., :1] + infinity

    def constant(self, sample: Array, bandwidth: Array) -> BoolArray:
        return np.equal(sample[..., :1], np.fmax.reduce(sample, axis=-1, keepdims=True))


def _smoothed(x: Array, sample: Array, h: Array) -> Array:
    """Average the kernels of one block: x (t, m), sample (t, n), h (t, 1, 1)."""
    kernels = normal_cdf(z_scores(x[:, :, np.newaxis], sample[:, np.newaxis, :], h))
    present = ~np.isnan(sample)[:, np.newaxis, :]
    # In double precision the sum alone would cost some ulp.
    sums = np.sum(kernels, axis=-1, where=present, dtype=np.longdouble)
    y: Array = (sums / count(sample)).astype(np.float64)
    return y
