"""Contract of a significance test: its inputs, its computation and its result.

A test of your own needs ``from cdfscore.significance.contract import Alternative, Rows, paired``.
A decorator makes a test of a function of complete samples of equal size, one sample per row. It
handles missing scores, batches, common settings, and data for which the test is undefined.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, Unpack

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.numerics.types import Array
from cdfscore.significance.contract.base import ChosenTest as ChosenTest
from cdfscore.significance.contract.base import Declared, P
from cdfscore.significance.contract.base import Indices as Indices
from cdfscore.significance.contract.base import LeastP as LeastP
from cdfscore.significance.contract.base import Level as Level
from cdfscore.significance.contract.base import SignificanceTest as SignificanceTest
from cdfscore.significance.contract.base import Sizes as Sizes
from cdfscore.significance.contract.result import Rows as Rows
from cdfscore.significance.contract.result import TestResult as TestResult
from cdfscore.significance.contract.result import assembled
from cdfscore.significance.contract.samples import as_samples, by_size, packed, rows_of
from cdfscore.significance.contract.settings import Alternative as Alternative
from cdfscore.significance.contract.settings import Seed as Seed
from cdfscore.significance.contract.two_samples import AllSystems as AllSystems
from cdfscore.significance.contract.two_samples import Paired as Paired
from cdfscore.significance.contract.two_samples import PairsTogether as PairsTogether
from cdfscore.significance.contract.two_samples import Pooled as Pooled
from cdfscore.significance.contract.two_samples import Simultaneous as Simultaneous
from cdfscore.significance.contract.two_samples import TwoSamples as TwoSamples
from cdfscore.significance.contract.two_samples import Unpaired as Unpaired
from cdfscore.significance.contract.unit import DIFFERENCE as DIFFERENCE


class OneSample(SignificanceTest[P]):
    """Test of one sample, x of shape (..., n); NaN is omitted."""

    samples = "one sample"

    def __call__(self, x: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each sample of a batch; `SignificanceError` for a single one without a result."""
        settings = self._named(args, dict(kwargs))
        values = as_samples(self.name, "x", x)
        rows = rows_of(values, values.shape[:-1])
        present = ~np.isnan(rows)
        n, groups = by_size(present)
        parts = [
            (index, self._rows(size, packed(rows, present, index), **settings))
            for size, index in groups
        ]
        return self._finished(assembled(values.shape[:-1], parts, n, n, settings))


def one_sample(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, P], Rows]], OneSample[P]]:
    """Make a one-sample test from a function of x, shape (rows, n).

    The test takes x of shape (..., n), omits NaN, and returns a `TestResult`. For an example with a
    reference implementation in R, see "Write a test" in the documentation.

    Parameters
    ----------
    source
        The reference for the test.
    minimum
        The smallest number of scores for which the test is defined.
    declared
        Optional declarations, as for `paired`.

    Raises
    ------
    SignificanceError
        When the decorator is applied, for the reasons in `paired`.

    Examples
    --------
    >>> from cdfscore.significance.contract import Rows, one_sample
    >>> @one_sample(source="the number of scores of 0")
    ... def zeros(x):
    ...     return Rows(statistic=(x == 0).sum(axis=1), p_value=1.0)
    >>> zeros([[0.0, 0.3, 0.0], [0.2, 0.4, float("nan")]]).statistic
    array([2., 0.])
    """
    return functools.partial(OneSample, source=source, minimum=minimum, **declared)


def paired(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Paired[P]]:
    """Make a paired test from a function of x and y, both of shape (rows, n).

    The function gets complete rows: float64, no NaN, and `minimum` pairs or more. It returns
    `Rows`. Its keyword-only arguments are the settings of the test. The test takes x and y of shape
    (..., n), omits a pair with a NaN, and returns a `TestResult`. A reference implementation in R
    is a file beside the Python file, with the name of the test and the suffix .R.

    Parameters
    ----------
    source
        The reference for the test.
    minimum
        The smallest number of pairs for which the test is defined.
    declared
        Optional declarations: ``label`` (what people call the test; the name without underscores if
        not given), ``effect`` (name of the default effect size, "" for none), ``estimates`` (name
        of the estimate), ``shows`` (conclusion from a small p value), ``null``,
        ``assumes`` and ``choose_for`` (a few words for the advice), ``tolerances`` (against R),
        ``drawn`` (random draws, for R), ``least_p`` (smallest p value), ``level`` (type I error in
        simulations), ``in_unit`` (the settings and fields of `Rows` in the unit of the scores:
        scores far from 1 are then scaled by a power of 2), ``check`` (a function of all settings
        that raises `SignificanceError` for those which the test refuses, before they are scaled),
        ``example`` (a value of each setting without a default), ``critical_difference``,
        ``complete_null`` (whether the error rate is controlled only if no systems differ), and
        ``ranks_topics`` (whether scores of different topics are ranked together).

    Raises
    ------
    SignificanceError
        When the decorator is applied: if ``example`` does not have exactly the settings without a
        default, or if ``tolerances`` has an unknown number or a tolerance without a reason. The
        test itself raises it for samples of different sizes, unknown settings, and a single pair of
        samples for which it is undefined.

    Examples
    --------
    >>> from cdfscore.significance.contract import Rows, paired
    >>> @paired(source="the proportion of topics on which x is higher")
    ... def wins(x, y):
    ...     return Rows(statistic=(x > y).mean(axis=1), p_value=1.0)
    >>> wins([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    statistic   0.75
    p_value     1
    method
    n           4
    >>> wins.over_pairs([[0.5, 0.4, 0.1], [0.3, 0.2, 0.9]], [0, 0], [1, 2]).statistic
    array([1. , 0.5])
    """
    return functools.partial(Paired, source=source, minimum=minimum, **declared)


def unpaired(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Unpaired[P]]:
    """Make a test of two independent samples from a function of x (rows, n) and y (rows, m).

    The test takes x of shape (..., n) and y of shape (..., m), omits NaN in each, and returns a
    `TestResult`.

    Parameters
    ----------
    source
        The reference for the test.
    minimum
        The smallest number of scores in each sample for which the test is defined.
    declared
        Optional declarations, as for `paired`.

    Raises
    ------
    SignificanceError
        When the decorator is applied, for the reasons in `paired`.

    Examples
    --------
    >>> from cdfscore.significance.contract import Rows, unpaired
    >>> @unpaired(source="the difference of the largest scores")
    ... def largest(x, y):
    ...     return Rows(statistic=x.max(axis=1) - y.max(axis=1), p_value=1.0)
    >>> float(largest([0.5, 0.25, 0.75], [0.25, 0.5]).statistic)
    0.25
    """
    return functools.partial(Unpaired, source=source, minimum=minimum, **declared)


def all_systems(
    *,
    source: str,
    minimum: int = 2,
    post_hoc: tuple[str, ...] = (),
    **declared: Unpack[Declared],
) -> Callable[[Callable[Concatenate[Array, P], Rows]], AllSystems[P]]:
    """Make a test of all systems at once from a function of scores (rows, topics, systems).

    The test takes scores of shape (..., topics, systems) and returns a `TestResult`. Captions state
    ``null`` and ``assumes``, and name the tests of pairs in `post_hoc`.

    Parameters
    ----------
    source
        The reference for the test.
    minimum
        The smallest number of topics for which the test is defined.
    post_hoc
        Names of the tests of pairs that can follow the test.
    declared
        Optional declarations, as for `paired`.

    Raises
    ------
    SignificanceError
        When the decorator is applied, for the reasons in `paired`. The test itself raises it for a
        missing score and for fewer than two systems.

    Examples
    --------
    >>> from cdfscore.significance.contract import Rows, all_systems
    >>> @all_systems(source="the range of the means")
    ... def range_of_means(scores):
    ...     means = scores.mean(axis=1)
    ...     return Rows(statistic=means.max(axis=1) - means.min(axis=1), p_value=1.0)
    >>> float(range_of_means([[0.5, 0.25, 0.0], [1.0, 0.25, 0.5]]).statistic)
    0.5
    """
    return functools.partial(
        AllSystems,
        source=source,
        minimum=minimum,
        post_hoc=post_hoc,
        **declared,
    )


def simultaneous(
    *,
    source: str,
    minimum: int = 2,
    of_all: bool = False,
    one_baseline: bool = False,
    **declared: Unpack[Declared],
) -> Callable[[Callable[Concatenate[Array, Indices, Indices, P], Rows]], Simultaneous[P]]:
    """Make a simultaneous test of pairs from a function of scores (topics, systems) and pairs.

    The function gets the scores, and the columns of the first and of the second systems of the
    pairs. Its p values hold for the whole family and need no correction. The test takes scores and
    pairs (all pairs if none are given), and returns a `TestResult` with a value for each pair.

    Parameters
    ----------
    source
        The reference for the test.
    minimum
        The smallest number of topics for which the test is defined.
    of_all
        Whether the family is always all pairs of systems, whichever pairs are given.
    one_baseline
        Whether all pairs must have the same second system.
    declared
        Optional declarations, as for `paired`.

    Raises
    ------
    SignificanceError
        When the decorator is applied, for the reasons in `paired`. The test itself raises it for a
        missing score, for fewer than two systems, for pairs that are not two different columns,
        and for several second systems if `one_baseline` is true.

    Examples
    --------
    >>> from cdfscore.significance.contract import Rows, simultaneous
    >>> @simultaneous(source="differences of means")
    ... def of_means(scores, first, second):
    ...     means = scores.mean(axis=0)
    ...     return Rows(statistic=means[first] - means[second], p_value=1.0)
    >>> of_means([[0.5, 0.25, 0.0], [1.0, 0.25, 0.5]]).statistic  # pairs (0, 1), (0, 2), (1, 2)
    array([0.5, 0.5, 0. ])
    """
    return functools.partial(
        Simultaneous,
        source=source,
        minimum=minimum,
        of_all=of_all,
        one_baseline=one_baseline,
        **declared,
    )


def pooled(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Indices, Indices, P], Rows]], Pooled[P]]:
    """Make a test of single pairs with a variance of all systems, from a function of pairs.

    The function is as for `simultaneous`. Each p value is for one pair and needs a correction;
    `compare` uses Holm's correction by default.

    Parameters
    ----------
    source
        The reference for the test.
    minimum
        The smallest number of topics for which the test is defined.
    declared
        Optional declarations, as for `paired`.

    Raises
    ------
    SignificanceError
        As for `simultaneous`.

    Examples
    --------
    >>> from cdfscore.significance.contract import Rows, pooled
    >>> @pooled(source="differences of means, in standard deviations of all scores")
    ... def in_deviations(scores, first, second):
    ...     means = scores.mean(axis=0)
    ...     return Rows(statistic=(means[first] - means[second]) / scores.std(), p_value=1.0)
    >>> in_deviations([[1.0, 0.0], [1.0, 0.0]], [[1, 0]]).statistic
    array([-2.])
    """
    return functools.partial(Pooled, source=source, minimum=minimum, **declared)
