"""Result of the standardization of a file, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import FactorsError, MissingScoreError
from cdfscore.io.text import counted
from cdfscore.numerics.eighty_bits.running import RunningSums
from cdfscore.numerics.exact_mean import ExactSums
from cdfscore.numerics.types import Array, IntArray
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
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies.constant import refused
from cdfscore.standardization.policies.unfitted import no_topic
from cdfscore.standardization.reference_systems import few_systems
from cdfscore.standardization.scale import ScoresAboveOne
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.standardization.streaming.block import Block
from cdfscore.standardization.tied_means import MultiplesOfSystems

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


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
