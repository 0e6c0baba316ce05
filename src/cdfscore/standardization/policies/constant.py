"""Policies for constant topics: those on which all reference scores are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cdfscore.errors import ConstantTopicError, SchemeError
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Distribution, Fitted, Scheme
from cdfscore.spelling import argument, check_one_of

if TYPE_CHECKING:
    from cdfscore.standardization.matrix import ScoreMatrix

ConstantPolicy = Literal[
    "limit", "half", "nan", "drop_topic", "raise", "urbano2019", "trec_eval", "matters"
]
POLICIES: tuple[str, ...] = get_args(ConstantPolicy)
#: What became of a topic on which all reference scores are equal, for a methods paragraph.
TOLD = {
    "limit": "its standardized scores are the limit of the scheme as the spread goes to 0",
    "half": "all of its standardized scores are 0.5",
    "nan": "it has no standardized scores",
    "drop_topic": "it was left out",
    "raise": "the analysis would have stopped",
    "urbano2019": "the standard deviation was set to 1 and the mean to 0",
    "matters": "the standard deviation was set to 1",
    "trec_eval": "scores at the mean became 0, and others -1,000,000",
}

# Value of trec_eval for a score off the mean of a constant topic, and for a missing score.
_TREC_EVAL_MISSING = -1_000_000.0


def check_policy(policy: str, scheme: Scheme) -> None:
    """Raise `SchemeError` for an unknown policy, or one that is not defined for `scheme`.

    limit       the limit of the scheme as the spread goes to 0; each scheme documents it
    half        1/2 for every score, for a cdf
    nan         NaN for every score, for a scheme that is fitted (all but raw)
    drop_topic  omit the topic for all systems, also of raw scores
    raise       an error that names the topics, for a scheme that is fitted
    urbano2019  mean 0 and sd 1, as in the 2019 scripts; no change if the scheme needs no spread
    matters     the mean of the topic and sd 1, as in the MATTERS toolkit
    trec_eval   0 at the mean and -1000000 off it, as in ``trec_eval -Z``, for z

    Raises `SchemeError`.

    Examples
    --------
    >>> from cdfscore.schemes import Z
    >>> check_policy("trec_eval", Z())
    >>> check_policy("half", Z())
    Traceback (most recent call last):
        ...
    cdfscore.errors.SchemeError: constant='half' is defined for a cdf, not for z
    """
    check_one_of("constant", policy, POLICIES, SchemeError)
    described = {
        "nan": bool(scheme.parameter_names()),
        "raise": bool(scheme.parameter_names()),
        "half": scheme.is_cdf,
        "urbano2019": _has_mean_and_sd(scheme) or not scheme.needs_spread,
        "matters": _has_mean_and_sd(scheme),
        "trec_eval": scheme.name == "z",
    }
    if not described.get(policy, True):
        kind = {
            "nan": "a scheme that is fitted",
            "raise": "a scheme that is fitted",
            "half": "a cdf",
            "urbano2019": "a scheme with a mean and an sd, or one that needs no spread",
            "matters": "a scheme with a mean and an sd",
            "trec_eval": "z",
        }[policy]
        raise SchemeError(f"{argument('constant', policy)} is defined for {kind}, not for {scheme}")


def used(policy: ConstantPolicy, scheme: Scheme) -> str:
    """Return the end of a note: the policy that determines the scores, "" if none does."""
    decides = scheme.needs_spread or policy in ("half", "nan", "drop_topic")
    return f": the policy {policy} is used" if decides else ""


def equal(scores: ScoreMatrix) -> list[str]:
    """Return the topics whose scores are all equal, of raw scores, to which nothing is fitted."""
    low, high = (each.reduce(scores.values, axis=1) for each in (np.fmin, np.fmax))
    return [topic for topic, same in zip(scores.topics, low == high, strict=True) if same]


def around(policy: ConstantPolicy, fitted: Fitted) -> Array:
    """Return c, the score of each topic, and y at c - 1, c and c + 1; (constant topics, 4).

    The rows are empty for a scheme that does not tell c: its parameters do, or its support.
    """
    constant = np.flatnonzero(fitted.constant)
    own = fitted.take(constant) if constant.size else fitted
    one = next((own.parameters[name] for name in ("mean", "min") if name in own.parameters), None)
    if isinstance(fitted.scheme, Distribution) and constant.size:
        one = own.support[0][:, np.newaxis]
    if one is None or not constant.size:
        return np.empty((0, 4))
    x = one + np.array([-1.0, 0.0, 1.0])
    with np.errstate(all="ignore"):
        return np.concatenate([one, evaluate(policy, own, x)], axis=1)


#: The accepted values if a topic is constant under ``constant="raise"``.
ANOTHER = "another policy for constant topics, such as 'limit'"


def refused(found: str, row: int | None = None, expected: str = ANOTHER) -> ConstantTopicError:
    """Return the error under ``constant="raise"``: what was found, and what is accepted."""
    return ConstantTopicError(f"{found}; expected {expected}", row=row)


def evaluate(policy: ConstantPolicy, fitted: Fitted, x: Array) -> Array:
    """Standardize scores x (topics, m) by `fitted`, with `policy` for constant topics."""
    fitted = _substituted(policy, fitted)
    return _by_policy(policy, fitted, x, fitted(x))


def denominators(policy: ConstantPolicy, fitted: Fitted) -> IntArray | None:
    """Return what the counts of `evaluate` are divided by (topics, 1), None if y is no count."""
    found = fitted.denominators
    if found is None or policy != "half":
        return found
    return np.where(fitted.constant[:, np.newaxis], 2, found)


def _by_policy(policy: ConstantPolicy, fitted: Fitted, x: Array, y: Array) -> Array:
    """Put the value of a policy into y for constant topics, if it has one, and return y."""
    constant = fitted.constant
    if policy not in ("half", "nan", "drop_topic", "trec_eval") or not constant.any():
        return y
    rows = np.flatnonzero(np.broadcast_to(constant, x.shape[:1]))
    match policy:
        case "half":
            value: float | Array = 0.5
        case "nan" | "drop_topic":  # who drops the topic does so before
            value = np.nan
        case _:
            value = np.where(x[rows] == fitted.parameters["mean"][rows], 0.0, _TREC_EVAL_MISSING)
    y[rows] = np.where(np.isnan(x[rows]), np.nan, value)
    return y


def _substituted(policy: ConstantPolicy, fitted: Fitted) -> Fitted:
    """Return the fit with the policy's mean and sd for constant topics, if it has them."""
    parameters = fitted.parameters
    if policy not in ("urbano2019", "matters") or not {"mean", "sd"} <= parameters.keys():
        return fitted
    constant = parameters["sd"] == 0
    substitutes = {"sd": np.where(constant, 1.0, parameters["sd"])}
    if policy == "urbano2019":
        substitutes["mean"] = np.where(constant, 0.0, parameters["mean"])
    return fitted.scheme.restore({**parameters, **substitutes})


def _has_mean_and_sd(scheme: Scheme) -> bool:
    return {"mean", "sd"} <= set(scheme.parameter_names())
