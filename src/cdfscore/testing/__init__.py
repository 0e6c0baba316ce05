"""Tests of the contracts of schemes, their parts and significance tests, for their authors.

>>> from cdfscore.stats.schemes import Uniform
>>> from cdfscore.stats.significance import paired_t
>>> from cdfscore.testing import check_distribution, check_test
>>> check_distribution(Uniform(A=0.3))
>>> check_test(paired_t, in_r=False)
"""

import warnings
from typing import Any

import numpy as np

from cdfscore.errors import RNotAvailableError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme
from cdfscore.stats.significance.contract import ChosenTest, SignificanceTest
from cdfscore.testing import tests
from cdfscore.testing.checks import CHECKS, ContractError, Subject, tolerance_has_a_reason
from cdfscore.testing.parts import check_bandwidth, check_kernel

__all__ = [
    "ContractError",
    "check_bandwidth",
    "check_distribution",
    "check_kernel",
    "check_test",
    "check_twin",
]


def check_distribution(
    distribution: Scheme, *, within: tuple[float, float] = (0.0, 1.0), seed: int = 2019
) -> None:
    """Run the contract on a distribution, or on a linear scheme, with seeded scores.

    `within` is the open interval from which the reference scores are drawn. Change it for a
    distribution that cannot be fitted to scores between 0 and 1. The scores are rounded so
    that there are ties, to the `grid` of a distribution if it has one. There are three sets of
    scores, which depend only on the distribution, `within` and `seed`. Returns None if all
    checks pass.

    Raises `ContractError`, an `AssertionError`, at the first check that fails; its message
    names the scheme, the check, the input, the output and the expected output.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Normal
    >>> check_distribution(Normal())
    """
    if not isinstance(distribution, Scheme):
        raise ContractError(
            f"{distribution!r} is not a scheme; expected an instance of a class derived from "
            "cdfscore.stats.schemes.Distribution or LinearScheme"
        )
    for each in range(seed, seed + 3):
        subject = Subject(distribution, within, each)
        for check in CHECKS:
            subject.run(check)


def check_twin(
    scheme: Scheme, *, within: tuple[float, float] = (0.0, 1.0), seed: int = 2019
) -> None:
    """Run the reference implementation in R on seeded scores, and compare y with Python's.

    The twin is the file with the name of the scheme, in the folder of its module. `within` and
    `seed` are those of `check_distribution`, and so are the reference scores, with ties; then
    the same with missing scores, and with a constant topic. The tolerance is the `tolerance` of
    the scheme, or 8 ulp if it states none.

    Raises `ContractError` at the first topic on which y differs by more than the tolerance or R
    stops; `VerificationError` if there is no R file, R cannot read it, or it does not define
    `standardize`; and `RNotAvailableError` if R or rpy2 is not installed.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Uniform
    >>> check_twin(Uniform(A=0.3))
    """
    Subject(scheme, within, seed).run(tolerance_has_a_reason)
    session, tolerance = RSession(), scheme.tolerance
    for each in range(seed, seed + 3):
        subject = Subject(scheme, within, each)
        for what, scores in _cases(subject).items():
            x = np.column_stack([subject.x, scores])
            y = scheme.fit(scores)(x)
            try:
                by_r = session.standardize(scheme, x, scores)
            except session.error as error:
                reason = " ".join(str(error).split())
                raise ContractError(f"{subject.spelled}: {what}: R stops: {reason}") from error
            ulp = tolerance.distance(y, by_r)
            topic, place = np.unravel_index(ulp.argmax(), ulp.shape)
            if ulp.max() > tolerance.ulp:
                raise ContractError(
                    f"{subject.spelled}: {what}: at x = {float(x[topic, place])!r} y is "
                    f"{float(y[topic, place])!r} and in R {float(by_r[topic, place])!r}, "
                    f"{ulp.max():.3g} ulp apart; expected at most {tolerance.ulp:g} "
                    f"({tolerance.reason}), for the reference scores {scores[topic].tolist()}"
                )


def check_test(
    test: SignificanceTest[Any] | ChosenTest,
    *,
    within: tuple[float, float] = (0.0, 1.0),
    under_null: tests.UnderNull | None = None,
    trials: int | None = None,
    in_r: bool | None = None,
    seed: int = 2019,
) -> None:
    """Run the contract on a significance test, with seeded scores.

    The checks are of missing scores, unequal sizes, batches, layout and input; of the order of
    topics and systems; of scores that are multiplied or moved, as ``shifts`` and ``in_unit`` of the
    test declare; of the null value, which moves scores; of the ``location``, which is what the test
    estimates; of p values, which are from 0 to 1, monotone in the statistic, as large as
    ``least_p``, and of the right side; of the interval, which holds the null value if p is above
    1 - ``conf_level``; and of the R twin.

    By simulation, p values of each alternative are uniform under the null hypothesis: of 40,000
    samples of 5 topics, and of 10,000 of 10, the proportion with p of at most 0.01, 0.05 or 0.1 is
    not above that level by more than 4 standard errors, and that of at most 0.05, 0.1 and 0.5 is
    not far below what few outcomes explain. A test that resamples has 10,000 samples of 5 topics
    and of 25. A test of pairs of a matrix has 400 matrices, and its smallest p value counts if it
    is simultaneous. So few find only a p that is about half of what it should be, or less; with
    `trials` of 20,000, one that is about 10 % too small is found, which takes fifty times as long.
    If the test declares another ``level``, p is too small only above that at 0.05.

    Parameters
    ----------
    test
        The test, or a test with settings as of `parse_test`. Without settings, it has its
        defaults, its ``example``, and B = 199 if it resamples.
    within
        The open interval from which scores are drawn, some with ties.
    under_null
        Draws scores at the edge of the null hypothesis, if it is not that of equal systems, or of
        systems without a correlation: a function of a `numpy.random.Generator` and of a shape
        (samples, topics, systems) with 1, 2 or 4 systems.
    trials
        The number of simulated samples or matrices, of each number of topics and alternative.
    in_r
        Whether to run the R twin too, on random, few, tied, extreme and very large scores; by
        default if it has an R file and R is there, with a warning otherwise.
    seed
        The seed of all scores.

    Raises
    ------
    ContractError
        An `AssertionError`, at the first check that fails. Its message names the test, the check,
        what was found and what was expected.
    RNotAvailableError
        If `in_r` is true, and R or rpy2 is not installed.

    Examples
    --------
    >>> from cdfscore import parse_test
    >>> check_test(parse_test("sign:alternative=less"), in_r=False)
    """
    if not isinstance(test, SignificanceTest | ChosenTest):
        raise ContractError(
            f"{test!r} is not a significance test; expected a function with a decorator of "
            "cdfscore.stats.significance.contract, such as `paired`"
        )
    if isinstance(test, SignificanceTest):
        few = {"B": 199} if "B" in test.defaults else {}
        test = test.chosen({**test.example, **few})
    subject = tests.Candidate(test, within, under_null, trials, seed)
    for check in tests.CHECKS:
        subject.run(check)
    without = "" if test.test.twin().is_file() else f"there is no file {test.test.twin().name}"
    try:
        RSession()
    except RNotAvailableError as error:
        without = without or str(error)
    if in_r or (in_r is None and not without):
        subject.run(tests.as_computed_in_r)
    elif in_r is None:
        warnings.warn(f"{test}: the R twin is not checked: {without}", stacklevel=2)


def _cases(subject: Subject) -> dict[str, Array]:
    missing, constant = subject.scores.copy(), subject.scores.copy()
    missing[0, 0] = missing[2, 3] = np.nan
    constant[1] = constant[1, 0]
    return {
        "all scores": subject.scores,
        "with missing scores": missing,
        "with a constant topic": constant,
    }
