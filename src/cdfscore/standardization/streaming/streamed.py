"""Standardization block by block: what is known of the blocks, and the result of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import FactorsError, FitError, MissingScoreError
from cdfscore.io.text import counted
from cdfscore.numerics.eighty_bits.running import RunningSums
from cdfscore.numerics.exact_mean import ExactSums
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.spelling import argument
from cdfscore.standardization.factors import NO_TOPIC
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.notes import (
    constant_notes,
    dropped_notes,
    missing_notes,
    standardized_by,
    undefined_and_infinite,
    unfitted_notes,
)
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies.constant import refused
from cdfscore.standardization.policies.unfitted import fit_where_possible, no_topic
from cdfscore.standardization.reference_systems import few_systems
from cdfscore.standardization.scale import ScoresAboveOne
from cdfscore.standardization.standardized import MultiplesOfSystems
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


@dataclass(frozen=True, eq=False)
class Block:
    """Standardized scores of the topics that no policy leaves out, and what the policies did.

    `kept` tells which topics of `given` these are. `used` are their scores before the scheme.
    """

    given: ScoreMatrix
    kept: BoolArray
    y: Array
    denominators: IntArray | None = None
    constant_topics: list[str] = field(default_factory=list)
    #: As `Standardized.constant_around`.
    constant_around: Array = field(default_factory=lambda: np.empty((0, 4)))
    unfitted_topics: Mapping[str, str] = field(default_factory=dict)
    dropped_topics: list[str] = field(default_factory=list)
    #: The largest number of reference scores of a topic.
    n: int = 0
    #: As `Standardized.censored`.
    censored: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def topics(self) -> list[str]:
        """The topics that are kept."""
        return [t for t, kept in zip(self.given.topics, self.kept.tolist(), strict=True) if kept]


def standardized_block(how: Standardizer, given: ScoreMatrix) -> Block:
    """Standardize the topics of a block; topics do not depend on one another.

    Where a policy leaves out all topics of the block, nothing is kept, and there is no error: other
    blocks may have others. Under ``constant="raise"`` constant topics get their limits, and it is
    the caller who raises, with the number in all blocks. So does it for missing scores.
    Raises what `Standardizer.standardize` raises otherwise.
    """
    own = _of_block(how, given)
    if own.missing == "drop_topic":
        absent = np.isnan(given.values).any(axis=1)
        if absent.all():
            nothing = np.empty((0, len(given.systems)))
            none = np.zeros(len(given.topics), dtype=np.bool_)
            return Block(given, none, nothing, dropped_topics=list(given.topics))
    try:
        factors = own.fit_matrix(given, described=False, source="scores")
    except FitError:
        if own.unfitted == "raise":
            raise
        return _unfitted(own, given)
    found = factors.standardize_matrix(given, given)
    constant, around = found.constant_topics, found.constant_around
    if how.constant == "drop_topic":
        constant = constant if factors.fitted.parameters else constant_topics.equal(found.used)
        found = found.without(constant)
    kept = np.ones(len(given.topics), dtype=np.bool_)
    if len(found.used.topics) < len(given.topics):
        there = set(found.used.topics)
        kept = np.fromiter((topic in there for topic in given.topics), np.bool_, len(kept))
    return Block(
        given,
        kept,
        found.frame.to_numpy(),
        found.denominators,
        constant,
        around,
        found.unfitted_topics,
        found.dropped_topics,
        0 if factors.n is None else int(factors.n.max()),
        found.censored,
    )


def _of_block(how: Standardizer, given: ScoreMatrix) -> Standardizer:
    """Return the standardizer with the labels of the block alone, on which lower is better."""
    lower = how.lower_is_better
    if lower is not True and lower:
        lower = tuple(direction.reversed_topics(lower, given.topics))
    return Standardizer(
        how.scheme,
        "limit" if how.constant in ("raise", "drop_topic") else how.constant,
        how.missing,
        how.unfitted,
        lower_is_better=lower,
        reflect_at=how.reflect_at if lower else 0.0,
    )


def _unfitted(how: Standardizer, given: ScoreMatrix) -> Block:
    """Return a block of which no topic can be fitted; raises `FitError` if the error was another.

    Under ``unfitted="nan"`` its topics have no standardized scores.
    """
    used = direction.settled(given, "scores", how.missing, how.lower_is_better, how.reflect_at)
    fitted, _, reasons = fit_where_possible(how.scheme, used.values)
    if len(reasons) < len(used.topics):
        raise FitError(f"{fitted!r} is of some topics only")  # pragma: no cover
    there = set(used.topics) if how.unfitted == "nan" else set()
    kept = np.array([topic in there for topic in given.topics])
    dropped = set(given.topics).difference(used.topics)
    return Block(
        given,
        kept,
        np.full((int(kept.sum()), len(given.systems)), np.nan),
        unfitted_topics={used.topics[row]: reasons[row] for row in sorted(reasons)},
        dropped_topics=[topic for topic in given.topics if topic in dropped],
    )


@dataclass(frozen=True, eq=False)
class Streamed:
    """Result of `standardize_parquet`: means, and what each policy changed.

    `topics` is the number of topics written, and `blocks` the number of blocks of the file. The
    other attributes are those of `Standardized`, without the scores, which are in the file.

    Raises nothing itself; `standardize_parquet` lists the errors.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import datasets, write_scores
    >>> from cdfscore.standardization.streaming.standardize_parquet import standardize_parquet
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_scores(datasets.load_cranfield("ap"), folder / "ap.parquet")
    >>> done = standardize_parquet(folder / "ap.parquet", folder / "y.parquet", "normal")
    >>> done.topics, len(done.systems), done.constant_topics
    (225, 67, [])
    """

    how: str
    topics: int
    systems: tuple[str, ...]
    blocks: int
    mean: Array
    topics_of_systems: IntArray
    constant_topics: list[str]
    unfitted_topics: dict[str, str]
    dropped_topics: list[str]
    cautions: list[str]
    notes: list[str]
    censored: dict[str, tuple[int, int]]

    @cached_property
    def means(self) -> pd.DataFrame:
        """The mean of each system and its number of topics, bit for bit as in `Standardized`."""
        import pandas as pd

        index = pd.Index(self.systems, dtype=str, name="system")
        return pd.DataFrame({"mean": self.mean, "topics": self.topics_of_systems}, index=index)

    @property
    def size(self) -> str:
        """The numbers of topics and systems, for a report."""
        return f"{counted(self.topics, 'topic')} x {counted(len(self.systems), 'system')}"

    def __repr__(self) -> str:
        return f"<{self.size} {self.how}, in {counted(self.blocks, 'block')}>"


class Tally:
    """What is known of the blocks so far; `lower_on_all` tells if lower is better on all topics."""

    def __init__(self, how: Standardizer, systems: Sequence[str], *, lower_on_all: bool) -> None:
        self.how, self.systems = how, tuple(systems)
        self._lower_on_all = lower_on_all
        self._means = RunningMeans(len(systems), counts=how.scheme.counts)
        self._above = ScoresAboveOne(len(systems))
        self._constant: list[str] = []
        self._around: list[Array] = []
        self._unfitted: dict[str, str] = {}
        self._dropped: list[str] = []
        self._censored: dict[str, tuple[int, int]] = {}
        # Topics that tell on which lower is better: all of these, and two others at most.
        self._lower: list[str] = []
        self._higher: list[str] = []
        self._topics = self._missing = self._undefined = self._infinite = self._n = 0
        self._blocks = 0
        self._first_missing: tuple[str, str] | None = None

    @property
    def fails(self) -> bool:
        """True if scores are missing and must not be."""
        return self._first_missing is not None

    def see(self, given: ScoreMatrix) -> bool:
        """Look at the scores of a block; return False if it is not to be standardized."""
        missing = given.missing()
        self._missing += missing
        if missing and self.how.missing == "raise" and not self.fails:
            row, column = np.argwhere(np.isnan(given.values))[0]
            self._first_missing = given.topics[row], given.systems[column]
        return not self.fails

    def add(self, block: Block) -> None:
        """Add a block that was standardized."""
        given, y = block.given, block.y
        lower = True if self._lower_on_all else self.how.lower_is_better
        own = given if lower is True else _higher_is_better(given, lower)
        self._above.add(own.topics, own.values)
        self._means.add(y, block.denominators)
        self._constant += block.constant_topics
        self._around.append(block.constant_around)
        self._unfitted |= block.unfitted_topics
        self._dropped += block.dropped_topics
        self._censored |= block.censored
        self._topics += len(y)
        self._blocks += 1
        self._n = max(self._n, block.n)
        self._undefined += int(np.count_nonzero(np.isnan(y)))
        self._infinite += int(np.count_nonzero(np.isinf(y)))
        if lower is True:
            self._lower += block.topics[:2] if len(self._lower) < 2 else []
        elif lower:
            reversed_topics = direction.reversed_topics(lower, block.topics)
            self._lower += reversed_topics
            if not self._higher:
                self._higher = [t for t in block.topics if t not in set(reversed_topics)][:1]

    def result(self, doubts: Sequence[str], notes: Sequence[str]) -> Streamed:
        """Return the result; raise what is an error of all blocks together.

        `doubts` are of labels that may be summaries, and `notes` of the reading.
        """
        how, scheme = self.how, self.how.scheme
        if self._first_missing is not None:
            raise missing_scores.refused("scores", *self._first_missing, self._missing)
        if how.constant == "raise" and self._constant:
            raise refused(
                f"topic {self._constant[0]!r}: all its reference scores are equal (constant "
                f"topics: {len(self._constant)})"
            )
        if not self._topics and self._constant:
            raise FactorsError(NO_TOPIC)
        if not self._n and self._unfitted:
            topic, reason = next(iter(self._unfitted.items()))
            raise no_topic(scheme, f"topic {topic!r}", reason)
        if not self._topics:
            raise MissingScoreError(
                "scores: every topic has a missing score, so that "
                f"{argument('missing', 'drop_topic')} leaves none"
            )
        cautions = [*doubts, *self._above.cautions(self.systems)]
        if scheme.parameter_names():
            cautions += few_systems(self._n or None, scheme)
        said = [
            *notes,
            *cautions,
            # Only whether there are other topics matters, not how many there are.
            *direction.notes(how.lower_is_better, how.reflect_at, [*self._lower, *self._higher]),
            *constant_notes(self._constant, np.concatenate(self._around), how.constant, scheme),
            *unfitted_notes(self._unfitted, how.unfitted),
            *dropped_notes(self._dropped),
        ]
        if how.missing in ("zero", "omit"):
            said += missing_notes(self._missing, how.missing)
        return Streamed(
            standardized_by(scheme),
            self._topics,
            self.systems,
            self._blocks,
            self._means.result(),
            self._means.topics,
            self._constant,
            self._unfitted,
            self._dropped,
            cautions,
            [*said, *undefined_and_infinite(self._undefined, self._infinite, scheme)],
            self._censored,
        )


def _higher_is_better(given: ScoreMatrix, lower: tuple[str, ...]) -> ScoreMatrix:
    """Return the topics of a block on which higher is better, which may be none."""
    left = set(direction.reversed_topics(lower, given.topics))
    return given.take([topic not in left for topic in given.topics])


class RunningMeans:
    """The means of `Standardized.means`, bit for bit, of blocks that are added in their order.

    Means of schemes that count are sums of whole numbers. Others are sums of 64 bits, as R's,
    whose state goes from block to block, so that every addition is the same as in one matrix.
    """

    def __init__(self, systems: int, *, counts: bool) -> None:
        self._exact = ExactSums() if counts else None
        self._multiples = MultiplesOfSystems(systems)
        self._sums = RunningSums(systems)
        self.topics = np.zeros(systems, dtype=np.int64)

    def add(self, y: Array, denominators: IntArray | None) -> None:
        """Add standardized scores (topics, systems), with denominators if the scheme counts."""
        self.topics += len(y) - np.count_nonzero(np.isnan(y), axis=0)
        if self._exact is not None:
            if denominators is not None:  # None where no topic of the block could be fitted
                self._exact.add(y, denominators)
            return
        self._sums.add(y)
        with np.errstate(invalid="ignore"):  # -inf and +inf of constant topics
            self._multiples.add(y.T)

    def result(self) -> Array:
        """Return the mean of each system, NaN where it has no score."""
        if self._exact is not None:
            return self._exact.means()
        return self._multiples.settled(self._sums.means(self.topics))
