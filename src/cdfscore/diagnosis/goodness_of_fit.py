"""Distance of scores from a distribution, by three statistics."""

from __future__ import annotations

from cdfscore.numerics.types import Array

#: Distance from 0 and 1 below which logarithms are not taken: a cdf near 1 has no more digits.
LEAST = 2.0**-53
#: Column and name of each statistic.
STATISTICS = {"ks": "Kolmogorov-Smirnov", "ad": "Anderson-Darling", "cvm": "Cramer-von Mises"}


def statistics(lower: Array, upper: Array) -> Array:
    """Return the statistics of samples of n scores; shape (..., n) twice to (3, ...).

    `lower` and `upper` are the fitted cdf at the lower and the upper end of the cell of each
    score, the scores in ascending order (see `Resolution.cells`). A score is spread evenly over
    [lower_i, upper_i], as in the histogram of the probability integral transform, and G(u) is
    the proportion of scores up to u. With integrals over u from 0 to 1,

    - ks: the largest |G(u) - u|;
    - ad: n times the integral of (G(u) - u)^2 / (u (1 - u));
    - cvm: n times the integral of (G(u) - u)^2.

    If cells have no width, these are the usual statistics for a continuous cdf, such as
    -n - (1/n) sum_i (2i - 1) (log z_i + log(1 - z_(n+1-i))) for ad and
    1/(12n) + sum_i (z_i - (2i - 1)/(2n))^2 for cvm, with z_i = F(x_i). Scores on a grid are
    compared at the ends of their cells, so that ties do not increase the distance. With the usual
    formulas they would, and the statistic would depend more on the grid than on the fit. In ad, u
    and 1 - u are at least 2^-53, so that a score where F has no probability has a large but finite
    weight.

    Source: Stephens (1974), EDF statistics for goodness of fit and some comparisons, section
    2; D'Agostino and Stephens (1986), Goodness-of-fit techniques, section 4.2; for grouped
    scores after Choulakian, Lockhart and Stephens (1994), Cramer-von Mises statistics for
    discrete distributions, with G linear within a cell.

    Examples
    --------
    >>> import numpy as np
    >>> z = np.array([0.1, 0.4, 0.7])
    >>> statistics(z, z).round(4).tolist()
    [0.3, 0.366, 0.06]
    >>> statistics(np.array([0.0, 0.0, 0.5]), np.array([0.5, 0.5, 1.0])).round(4).tolist()
    [0.1667, 0.1288, 0.0278]
    """
    # Imported here because numba, which compiles it, takes half a second.
    from cdfscore.diagnosis.pit_distances import distances

    return distances(lower, upper)
