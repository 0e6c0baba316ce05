"""Settings of a diagnosis, and their checks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.numbers import MOST_RESAMPLES, between_0_and_1, whole_number_from
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import parse_scheme
from cdfscore.spelling import argument

_MOST_BINS = 100

#: Schemes that are diagnosed if none is named: N-std, U-std and E-std, the schemes of the
#: literature, and kernel, a smooth form of E-std. All can be fitted to scores of any range. The
#: user must name families on [0, 1], such as beta, because the range of the measure is not known,
#: and minmax, because its ends are the extreme scores, so that its AIC is too good.
USUAL = ("normal", "uniform", "empirical", "kernel")
#: If fewer resamples than this are at least as far away as the scores, more are drawn.
FEW = 5


@dataclass(frozen=True)
class Draws:
    """Number of resamples and their random stream.

    `resamples` are drawn for every topic. If fewer than `FEW` of them have a statistic as large
    as the scores, a total of `most` is drawn, so that the smallest p value can stay below alpha
    after Holm's correction, unless the caller asked for a smaller `most`. The p value is valid at
    every level: drawing continues only for a topic with a small p value, and a topic where it
    stops has no p value below (FEW + 1) / (resamples + 1).

    The uniform numbers of a topic depend only on the seed and the label of the topic. They are the
    same for all distributions, so that no distribution changes the result of another. Other topics
    change two things: `most` increases with their number and with 1 / alpha, which changes p values
    of topics for which drawing continues; and the resolution is found from all scores.
    """

    resamples: int
    most: int
    seed: int

    @classmethod
    def of(
        cls, resamples: int, seed: int, topics: int, alpha: float, most: int | None = None
    ) -> Draws:
        """Return draws whose smallest p value is at most alpha / 2 after Holm over `topics`.

        If that needs more than `most` resamples, the smallest p value is larger.
        """
        times = math.ceil(2 * topics / (alpha * (resamples + 1))) if resamples else 1
        needed = max(times, 1) * (resamples + 1) - 1
        return cls(resamples, needed if most is None else min(needed, most), seed)

    def generator(self, topic: str) -> np.random.Generator:
        """Return the stream of a topic."""
        digest = hashlib.sha256(topic.encode()).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest[:16], "big")])


def distributions(schemes: Sequence[str | Scheme]) -> list[Scheme]:
    """Return the schemes, read from their spellings; raises `SchemeError`, see `diagnose`."""
    if isinstance(schemes, str | Scheme):
        raise SchemeError(
            f"{argument('schemes', str(schemes))} is one; expected a list of distributions"
        )
    chosen = [parse_scheme(each) if isinstance(each, str) else each for each in schemes]
    if not chosen:
        raise SchemeError("there is no scheme to diagnose; expected one distribution or more")
    names = [str(scheme) for scheme in chosen]
    for scheme, name in zip(chosen, names, strict=True):
        if not isinstance(scheme, Scheme):
            raise SchemeError(f"{scheme!r} is not a scheme; expected one such as Normal()")
        if not scheme.is_cdf:
            raise SchemeError(
                f"{name} is not a distribution; expected one, such as normal or empirical"
            )
        if names.count(name) > 1:
            raise SchemeError(f"the scheme {name} is given twice")
    return chosen


class Settings(NamedTuple):
    """Checked settings of a diagnosis, as Python's numbers.

    Attributes
    ----------
    alpha
        Level of the tests, between 0 and 1.
    bootstrap, most
        Number of resamples of a topic, and the largest number, at least as many; None for no
        limit.
    seed
        Seed of the resamples, 0 or more.
    bins
        Bins of the histogram, 2 to 100.
    jobs
        Threads, 1 or more; None for the calling one.
    """

    alpha: float
    bootstrap: int
    most: int | None
    seed: int
    bins: int
    jobs: int | None

    @classmethod
    def of(
        cls,
        *,
        alpha: object,
        bootstrap: object,
        most: object,
        seed: object,
        bins: object = 10,
        jobs: object = None,
    ) -> Settings:
        """Return the settings; raises `SchemeError` for a wrong type or a number out of range."""
        found = cls(
            between_0_and_1("alpha", alpha, SchemeError),
            whole_number_from("bootstrap", bootstrap, 0, MOST_RESAMPLES, SchemeError),
            None
            if most is None
            else whole_number_from("most", most, 0, MOST_RESAMPLES, SchemeError),
            _whole("seed", seed, 0),
            whole_number_from("bins", bins, 2, _MOST_BINS, SchemeError),
            None if jobs is None else _whole("jobs", jobs, 1),
        )
        if found.most is not None and found.most < found.bootstrap:
            raise SchemeError(
                f"{argument('most', found.most)} is not accepted; expected at least the "
                f"{found.bootstrap} resamples that all topics have"
            )
        return found


def _whole(name: str, value: object, least: int) -> int:
    return whole_number_from(name, value, least, None, SchemeError)
