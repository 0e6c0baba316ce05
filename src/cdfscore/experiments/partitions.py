"""Random halves of the topics, and the differences between scores on the two halves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.errors import ExperimentError, ScoresError, SignificanceError
from cdfscore.experiments.summaries import check_seed
from cdfscore.numerics.moments import single_pass_mean
from cdfscore.numerics.numbers import between_0_and_1
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import samples
from cdfscore.rank_correlation import drmse
from cdfscore.significance.contract.two_samples import Unpaired
from cdfscore.significance.registry import parse_test


@dataclass(frozen=True, eq=False)
class Partitions:
    """Halve a set of topics at random, and compare each system with itself on both halves.

    A comparable measure gives a system similar means on both halves, and a significant difference
    at most at the rate `alpha`. All matrices have the same halves, so that measures, and raw and
    standardized scores, are compared on the same partitions.

    Parameters
    ----------
    scores
        Matrices of the same topics, shape (matrices, topics, systems), raw or standardized.
        Factors are fitted topic by topic, so scores may be standardized before or after the topics
        are halved.
    seed
        Trial k, from 0, draws the first half as in R by ``set.seed(seed + k); sample(1:n,
        n %/% 2)``. The other topics are the second half.
    test
        A test of two independent samples by its spelling, such as "student_t" or
        "welch_t:alternative=greater".
    alpha
        The significance level: a difference is significant if its p value is at most alpha.

    Raises
    ------
    ScoresError
        If the scores have another shape, a missing or infinite score, or fewer than 4 topics
        or 2 systems.
    SignificanceError
        If the test is unknown, or is not a test of two independent samples.
    ExperimentError
        If alpha is outside (0, 1), or if R does not accept the seed.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Section 5, Figures 5 and 6; Eq. 4 is `drmse`.

    Examples
    --------
    >>> from cdfscore.datasets import load_cranfield
    >>> ap = load_cranfield("ap").to_numpy()
    >>> found = Partitions(ap[np.newaxis], seed=1).run(range(100))
    >>> found["drmse"].shape, found["rate"].shape
    ((100, 1), (100, 1))
    >>> bool(0 < found["rate"].mean() < 0.1)
    True
    """

    scores: Array
    seed: int
    test: str = "student_t"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        shape = np.shape(self.scores)
        if len(shape) != 3 or 0 in shape or shape[1] < 4 or shape[2] < 2:
            raise ScoresError(
                f"scores have shape {shape}; expected (matrices, topics, systems) with 4 topics "
                "or more and 2 systems or more"
            )
        if not np.isfinite(self.scores).all():
            place = [int(i) for i in np.argwhere(~np.isfinite(self.scores))[0]]
            raise ScoresError(
                f"scores{place} is {self.scores[tuple(place)]}; expected finite numbers"
            )
        test = parse_test(self.test).test
        if not isinstance(test, Unpaired):
            raise SignificanceError(
                f"{test.name} does not test two independent samples; expected a test that does, "
                "such as student_t"
            )
        level = between_0_and_1("alpha", self.alpha, ExperimentError)
        object.__setattr__(self, "alpha", level)
        object.__setattr__(self, "seed", check_seed(self.seed))

    def run(self, trials: range) -> dict[str, Array]:
        """Return ``drmse`` and ``rate``, each of shape (trials, matrices).

        ``rate`` is the proportion of systems that differ significantly, among those with a p
        value: a system has none if its scores are all equal on each half.
        """
        first, second = self.halves(trials)
        columns = [self._compared(matrix, first, second) for matrix in self.scores]
        names = ("drmse", "rate")
        return {
            n: np.stack(c, axis=1) for n, c in zip(names, zip(*columns, strict=True), strict=True)
        }

    def halves(self, trials: range) -> tuple[IntArray, IntArray]:
        """Return the indices of the topics of the first and the second half, one row per trial."""
        n = self.scores.shape[1]
        first = samples(self.seed + np.arange(trials.start, trials.stop), n, n // 2) - 1
        in_first = np.zeros((len(first), n), dtype=np.bool_)
        np.put_along_axis(in_first, first, True, axis=1)
        second = np.nonzero(~in_first)[1].reshape(len(first), n - n // 2)
        return first, second

    def _compared(self, matrix: Array, first: IntArray, second: IntArray) -> tuple[Array, Array]:
        """Return dRMSE and the rate of significant differences of a matrix, one value per trial."""
        # (trials, systems, topics of the half), each sample in a row of its own
        x, y = (np.ascontiguousarray(matrix[half].swapaxes(1, 2)) for half in (first, second))
        errors = drmse(single_pass_mean(x)[..., 0], single_pass_mean(y)[..., 0])
        chosen = parse_test(self.test)
        assert isinstance(chosen.test, Unpaired)
        p = chosen.test(x, y, **chosen.given).p_value
        tested = np.count_nonzero(~np.isnan(p), axis=1)
        with np.errstate(invalid="ignore"):  # 0/0 where no system has a p value
            return np.asarray(errors), np.count_nonzero(p <= self.alpha, axis=1) / tested
