"""Samples of reference systems: how many give the same ranking as all reference systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.errors import ExperimentError, SchemeError, ScoresError
from cdfscore.experiments.summaries import check_seed, of_systems
from cdfscore.numerics.exact_mean import exact_means
from cdfscore.numerics.moments import single_pass_mean
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import samples
from cdfscore.rank_correlation import tau_b
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import schemes
from cdfscore.spelling import argument
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies.constant import ConstantPolicy
from cdfscore.standardization.policies.unfitted import fit_all

#: Scores that are standardized at a time, so that they stay in the cache.
_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class SampledReferences:
    """Standardize by samples of the reference systems, and compare the rankings of systems.

    Systems are ranked by their mean standardized score. The ranking by each sample is compared by
    tau_b with the ranking by all reference systems.

    Parameters
    ----------
    reference
        Scores of the reference systems, (topics, n).
    evaluated
        Scores of the systems to rank on the same topics, (topics, m).
    sizes
        Numbers of reference systems to sample, each from the minimum of the scheme up to n.
    seed
        Trial k, from 0, draws for each size as in R by ``set.seed(seed + k); sample(1:n, size)``.
        A smaller sample is thus the beginning of a larger one.
    scheme
        A scheme, or its spelling.
    constant
        Policy for topics whose sampled scores are all equal, as in `Standardizer`.

    Raises
    ------
    ScoresError
        If the shapes of the scores do not fit, or a score is missing or infinite.
    SchemeError
        If the scheme or policy is unknown, or the policy does not apply to the scheme.
    ExperimentError
        If a size cannot be sampled or fitted, if there are no sizes, or if R does not accept the
        seed.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Section 4, Figure 4, which does not state
    its policy for constant topics.

    Examples
    --------
    >>> from cdfscore.datasets import load_cranfield
    >>> ap = load_cranfield("ap").to_numpy()
    >>> few = SampledReferences(ap[:, :40], ap[:, 40:], (5, 40), 1, "normal", "limit")
    >>> tau = few.run(range(100))["tau"]
    >>> bool(tau[:, 0].mean() < 1), tau[:, 1].min().item()
    (True, 1.0)
    """

    reference: Array
    evaluated: Array
    sizes: tuple[int, ...]
    seed: int
    scheme: Scheme | str
    constant: ConstantPolicy

    def __post_init__(self) -> None:
        if isinstance(self.scheme, str):
            object.__setattr__(self, "scheme", schemes.parse(self.scheme))
        if not isinstance(self.scheme, Scheme):
            raise SchemeError(
                f"{argument('scheme', self.scheme)} is not accepted; expected a scheme"
            )
        constant_topics.check_policy(self.constant, self.scheme)
        _check_scores(self.reference, self.evaluated)
        least, most = self.scheme.minimum_scores, self.reference.shape[1]
        if not self.sizes:
            raise ExperimentError(
                "there are no sizes; expected at least one number of reference systems"
            )
        sizes = (
            whole_number_from(f"sizes[{i}]", size, least, most, ExperimentError)
            for i, size in enumerate(self.sizes)
        )
        object.__setattr__(self, "sizes", tuple(sizes))
        object.__setattr__(self, "seed", check_seed(self.seed))

    def run(self, trials: range) -> dict[str, Array]:
        """Return ``tau`` and ``constant``, each of shape (trials, sizes).

        ``constant`` is the number of topics whose sampled scores are all equal. ``tau`` is NaN if a
        mean is not finite, for example because of such a topic, or if all means are equal.
        """
        n = self.reference.shape[1]
        seeds = self.seed + np.arange(trials.start, trials.stop)
        drawn = samples(seeds, n, max(self.sizes)) - 1
        full = self.means(np.arange(n)[np.newaxis])[0]
        found = [self.means(drawn[:, :size]) for size in self.sizes]
        return {
            "tau": np.stack([_tau(means, full[0]) for means, _ in found], axis=1),
            "constant": np.stack([constant for _, constant in found], axis=1),
        }

    def means(self, systems: IntArray) -> tuple[Array, Array]:
        """Return the means (samples, m) under samples of the reference systems (samples, size).

        They are those of `Factors.system_means`. The second array has the number of constant
        topics of each sample.

        Raises `ConstantTopicError` under ``constant="raise"`` for a constant topic, and `FitError`
        where the scheme cannot be fitted to a sample. Both name the topic, counted from 1.
        """
        step = max(1, _BLOCK // self.evaluated.size)
        blocks = [self._block(systems[i : i + step]) for i in range(0, len(systems), step)]
        means, constant = zip(*blocks, strict=True)
        return np.concatenate(means), np.concatenate(constant)

    def _block(self, systems: IntArray) -> tuple[Array, Array]:
        assert isinstance(self.scheme, Scheme)
        topics, m = self.evaluated.shape
        # A row for each sample and topic: the schemes, and policies, take batches of rows.
        reference = self.reference[:, systems].swapaxes(0, 1).reshape(-1, systems.shape[1])
        shape = (len(systems), topics, m)
        x = np.broadcast_to(self.evaluated, shape).reshape(-1, m)

        def where(row: int) -> str:
            return f"topic {row % topics + 1}, fitted to a sample of {of_systems(systems.shape[1])}"

        fitted = fit_all(self.scheme, reference, where)
        constant = np.broadcast_to(fitted.constant, len(x)).reshape(shape[:2])
        if self.constant == "raise" and constant.any():
            row = int(constant.argmax())
            raise constant_topics.refused(
                f"{where(row)}: the scores of the sample are all equal",
                expected=f"larger samples, or {constant_topics.ANOTHER}",
            )
        y = constant_topics.evaluate(self.constant, fitted, x).reshape(shape)
        denominators = constant_topics.denominators(self.constant, fitted)
        if denominators is not None:
            of_samples = denominators.reshape(*shape[:2], 1)
            means = np.stack(list(map(exact_means, y, of_samples)))  # tied systems are tied
        else:
            with np.errstate(invalid="ignore"):  # -inf and +inf of constant topics make NaN
                means = single_pass_mean(np.ascontiguousarray(y.swapaxes(1, 2)))[..., 0]
        return means, constant.sum(axis=1).astype(np.float64)


def _tau(means: Array, full: Array) -> Array:
    """Return tau with the ranking `full`; NaN if a mean is not finite.

    Where one of `full` is not, it is because of a topic on which all reference systems are
    equal. Every sample then also has a mean that is not finite, and all taus are NaN.
    """
    taus = np.full(len(means), np.nan)
    finite = np.isfinite(means).all(axis=1)
    if finite.any():
        taus[finite] = tau_b(means[finite], full)
    return taus


def _check_scores(reference: Array, evaluated: Array) -> None:
    shapes = np.shape(reference), np.shape(evaluated)
    if [len(shape) for shape in shapes] != [2, 2] or shapes[0][0] != shapes[1][0] or 0 in shapes[0]:
        raise ScoresError(
            f"reference scores have shape {shapes[0]} and evaluated ones {shapes[1]}; expected "
            "(topics, systems) of the same topics"
        )
    if shapes[1][1] < 2:
        raise ScoresError(f"evaluated scores have shape {shapes[1]}; expected 2 systems or more")
    for name, scores in (("reference", reference), ("evaluated", evaluated)):
        if not np.isfinite(scores).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(scores))[0])
            raise ScoresError(
                f"{name} scores: [{row}, {column}] is {scores[row, column]}; expected finite "
                "numbers"
            )
