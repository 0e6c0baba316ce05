"""What the published formats share: the mean and standard deviation of each topic."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.catalogue import schemes
from cdfscore.errors import FactorsError
from cdfscore.factors.factors import Factors
from cdfscore.numerics.types import Array
from cdfscore.schemes import Scheme


def factors_of_moments(
    scheme: str | Scheme,
    topics: Iterable[str],
    mean: ArrayLike,
    sd: ArrayLike,
    *,
    measure: str,
    degenerate: str = "limit",
) -> Factors:
    """Make factors from the mean and the standard deviation of each topic.

    Raises `FactorsError` for a scheme that needs other parameters, or an sd below 0.
    """
    chosen = schemes.parse(scheme) if isinstance(scheme, str) else scheme
    if set(chosen.parameter_names()) != {"mean", "sd"}:
        raise FactorsError(
            f"means and standard deviations do not determine {chosen}; expected normal, uniform, "
            "z or another scheme of a mean and an sd"
        )
    sds = np.asarray(sd, dtype=np.float64)[:, np.newaxis]
    names = tuple(topics)
    if (sds < 0).any():
        row = int(np.flatnonzero(sds < 0)[0])
        raise FactorsError(
            f"topic {names[row]!r}, measure {measure!r}: the standard deviation is "
            f"{sds[row, 0]}; expected a number that is not negative"
        )
    means = np.asarray(mean, dtype=np.float64)[:, np.newaxis]
    fitted = chosen.restore({"mean": means, "sd": sds})
    return Factors(fitted, names, measure=measure, degenerate=degenerate)


def moments_of_factors(factors: Factors, path: Path) -> tuple[str, Array, Array]:
    """Return measure, means and standard deviations, to be published in `path`.

    Raises `FactorsError` for factors without measure, labels, or a mean and an sd.
    """
    if factors.measure is None:
        raise FactorsError(f"{path}: the factors do not name their measure; expected one")
    if factors.positions is not None:
        raise FactorsError(f"{path}: the factors have no topic labels; expected labels")
    parameters = factors.fitted.parameters
    if set(parameters) != {"mean", "sd"}:
        raise FactorsError(
            f"{path}: the factors are of {factors.fitted.scheme}; this format holds a mean and "
            "an sd, as those of normal, uniform and z"
        )
    return factors.measure, parameters["mean"][:, 0], parameters["sd"][:, 0]
