"""Common part of the published formats: mean and standard deviation of each topic."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import FactorsError
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import schemes
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.policies.constant import ConstantPolicy


def factors_of_moments(
    scheme: str | Scheme,
    topics: Iterable[str],
    mean: ArrayLike,
    sd: ArrayLike,
    *,
    source: str | Path,
    measure: str,
    constant: ConstantPolicy = "limit",
) -> Factors:
    """Make factors from the mean and the standard deviation of each topic in a file, `source`.

    Raises `FactorsError` for a scheme that needs other parameters, or an sd below 0.
    """
    chosen = schemes.parse(scheme) if isinstance(scheme, str) else scheme
    if set(chosen.parameter_names()) != {"mean", "sd"}:
        raise FactorsError(
            f"{source}: means and standard deviations do not determine {chosen}; expected "
            "normal, uniform, z or another scheme with a mean and an sd"
        )
    sds = np.asarray(sd, dtype=np.float64)[:, np.newaxis]
    names = tuple(topics)
    if (sds < 0).any():
        row = int(np.flatnonzero(sds < 0)[0])
        raise FactorsError(
            f"{source}: topic {names[row]!r}, measure {measure!r}: the standard deviation is "
            f"{sds[row, 0]}; expected a number that is not negative"
        )
    means = np.asarray(mean, dtype=np.float64)[:, np.newaxis]
    fitted = chosen.restore({"mean": means, "sd": sds})
    return Factors(fitted, names, measure=measure, constant=constant)


def moments_by_measure(
    factors: Iterable[Factors], path: Path
) -> list[tuple[str, tuple[str, ...], Array, Array]]:
    """Return measure, topics, means and standard deviations for a file; `path` is for messages.

    Raises `FactorsError` if there are no factors, for factors without a measure, topic labels,
    or a mean and an sd, with topics on which lower is better, and for two factors of the same
    measure.
    """
    moments: dict[str, tuple[str, tuple[str, ...], Array, Array]] = {}
    for each in factors:
        if each.measure is None:
            raise FactorsError(f"{path}: the factors do not name their measure; expected one")
        if each.measure in moments:
            raise FactorsError(
                f"{path}: there are two factors of the measure {each.measure!r}; expected one"
            )
        if each.positions is not None:
            raise FactorsError(f"{path}: the factors have no topic labels; expected labels")
        if each.lower_is_better:
            raise FactorsError(
                f"{path}: the factors are of reversed scores (lower is better), which this format "
                "cannot represent; expected JSON, written by save_factors"
            )
        parameters = each.fitted.parameters
        if set(parameters) != {"mean", "sd"}:
            raise FactorsError(
                f"{path}: the factors are of {each.fitted.scheme}; this format holds a mean and "
                "an sd, as of normal, uniform and z"
            )
        mean, sd = parameters["mean"][:, 0], parameters["sd"][:, 0]
        moments[each.measure] = (each.measure, each.topics, mean, sd)
    if not moments:
        raise FactorsError(f"{path}: there are no factors to write; expected at least one")
    return list(moments.values())
