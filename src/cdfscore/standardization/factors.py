"""The factors of a set of topics."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import DegenerateTopicError, FactorsError, FitError
from cdfscore.io.scores import as_scores, topic_labels
from cdfscore.numerics.exact_mean import exact_means
from cdfscore.numerics.moments import single_pass_mean
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Fitted
from cdfscore.standardization.policies import constant as degenerate_topics
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies import unfitted as unfitted_topics

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Factors:
    """A scheme fitted to every topic, and where the fit came from.

    `fitted` has one row for each of `topics`, whose number of reference scores is `n`.
    `positions` is None, or the number of topics when the reference had no topic labels;
    then topics are matched by position. `dropped` are the topics that
    ``missing="drop_topic"`` left out, and `refused` those that the scheme could not be fitted
    to, each with the reason. What a published file does not tell is None. The same
    factors with another policy are ``dataclasses.replace(factors, missing="omit")``.

    Raises `SchemeError` for an unknown policy, or one that the scheme has no use for, and
    `DegenerateTopicError` under ``degenerate="raise"`` for a constant topic, and `FitError`
    under ``unfitted="raise"`` for a topic that was refused.
    """

    fitted: Fitted
    topics: tuple[str, ...]
    n: IntArray | None = None
    degenerate: str = "limit"
    missing: str = "raise"
    unfitted: str = "raise"
    measure: str | None = None
    systems: tuple[str, ...] | None = None
    digest: str | None = None
    positions: int | None = None
    dropped: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    _rows: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        degenerate_topics.check_policy(self.degenerate, self.fitted.scheme)
        missing_scores.check_policy(self.missing)
        unfitted_topics.check_policy(self.unfitted)
        object.__setattr__(self, "_rows", {topic: i for i, topic in enumerate(self.topics)})
        if self.degenerate == "raise" and (constant := self.constant_topics):
            raise DegenerateTopicError(
                f"topic {constant[0]!r}: all its reference scores are equal (topics like it: "
                f"{len(constant)}); expected another policy for degenerate topics, such as 'limit'",
                row=self._rows[constant[0]],
            )

        if self.unfitted == "raise" and self.refused:
            topic, reason = next(iter(self.refused.items()))
            raise FitError(f"topic {topic!r}: {reason}")

    @property
    def constant_topics(self) -> list[str]:
        """The topics whose reference scores are all equal: those that `degenerate` is for."""
        constant = np.broadcast_to(self.fitted.constant, (len(self.topics),))
        return [
            topic for topic, is_constant in zip(self.topics, constant, strict=True) if is_constant
        ]

    def transform(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Standardize `scores`, topics x systems; topics are matched by their labels.

        The result has the topics and systems of `scores`. NaN where a score is missing, and
        for topics that were refused under ``unfitted="nan"``.
        Raises `ScoresError` for what is no score matrix, `MissingScoreError` under
        ``missing="raise"``, and `FactorsError` for a topic that has no factors.
        """
        import pandas as pd

        x = self._kept(scores)
        return pd.DataFrame(self._read(x), index=x.index, columns=x.columns)

    def system_means(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Average the standardized scores of each system: columns ``mean`` and ``topics``.

        ``topics`` is the number of topics that the mean is over: those where the system has
        a score. Means of E-std are exact fractions, rounded once, so that tied systems are
        tied; others are added in order and extended precision, as R's ``colMeans`` does.
        """
        import pandas as pd

        x = self._kept(scores)
        y, counts = self._read(x), self._counted(x)
        if counts is None:
            with np.errstate(invalid="ignore"):  # -inf and +inf of constant topics make NaN
                means = single_pass_mean(np.ascontiguousarray(y.T))[:, 0]
        else:
            means = exact_means(*counts, ~np.isnan(y))
        topics = np.count_nonzero(~np.isnan(y), axis=0)
        return pd.DataFrame({"mean": means, "topics": topics}, index=x.columns).rename_axis(
            "system"
        )

    def counts(self, scores: pd.DataFrame) -> tuple[IntArray, IntArray] | None:
        """Return standardized scores as whole numerators and denominators, if they are counts.

        Numerators are (topics, systems) and denominators (topics, 1); None for schemes that do
        not count. The counts of topics that y is NaN for by a policy are of no use.
        """
        return self._counted(self._kept(scores))

    def _read(self, x: pd.DataFrame) -> Array:
        """Return y for scores that were kept."""
        rows, fitted = self._matched(x)
        values = x.to_numpy()
        if len(rows) == len(values):
            return degenerate_topics.evaluate(self.degenerate, fitted, values)
        y = np.full(values.shape, np.nan)
        y[rows] = degenerate_topics.evaluate(self.degenerate, fitted, values[rows])
        return y

    def _counted(self, x: pd.DataFrame) -> tuple[IntArray, IntArray] | None:
        rows, fitted = self._matched(x)
        values = x.to_numpy()
        found = degenerate_topics.counts(self.degenerate, fitted, values[rows])
        if found is None or len(rows) == len(values):
            return found
        numerators = np.zeros(values.shape, dtype=np.int64)
        denominators = np.ones((len(values), 1), dtype=np.int64)
        numerators[rows], denominators[rows] = found
        return numerators, denominators

    def _matched(self, x: pd.DataFrame) -> tuple[IntArray, Fitted]:
        """Return the rows of x that have a fit, and the fit of each."""
        places = [self._rows.get(label, -1) for label in topic_labels(x)]
        rows = np.flatnonzero(np.array(places) >= 0)
        return rows, self.fitted.take(np.array(places, dtype=np.int64)[rows])

    def _kept(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Return the scores to standardize, those of the topics that no policy leaves out."""
        import pandas as pd

        checked = as_scores(scores)
        unlabelled = isinstance(checked.index, pd.RangeIndex)
        if unlabelled and self.positions is None:
            raise FactorsError(
                "the scores have no topic labels and the factors have; expected a topic column "
                f"with labels such as {self.topics[0]!r}"
            )
        if unlabelled and self.positions != len(checked):
            raise FactorsError(
                f"the scores have {len(checked)} topics without labels, and the factors were "
                f"fitted on {self.positions}; expected as many, or labels to match them by"
            )
        if not unlabelled and self.positions is not None:
            raise FactorsError(
                "the scores have topic labels and the factors were fitted on topics without; "
                "expected labels in both or in neither"
            )
        kept = missing_scores.resolve(self.missing, checked, "scores")
        labels = topic_labels(kept)
        dropped = {*self.dropped, *(self.refused if self.unfitted == "drop_topic" else ())}
        if dropped:
            keep = [label not in dropped for label in labels]
            kept, labels = kept[keep], [t for t, k in zip(labels, keep, strict=True) if k]
        fitted_or_refused = self._rows.keys() | self.refused.keys()
        absent = [label for label in labels if label not in fitted_or_refused]
        if absent or not labels:
            raise FactorsError(
                f"{len(absent)} of {len(labels)} topics have no factors, the first of them "
                f"{absent[0]!r}; there are factors for {self._span()}"
                if absent
                else "no topic is left to standardize after those without scores or a fit were "
                "dropped"
            )
        return kept

    def _span(self) -> str:
        if len(self.topics) == 1:
            return f"topic {self.topics[0]!r}"
        return f"{len(self.topics)} topics, {self.topics[0]!r} to {self.topics[-1]!r}"

    def __repr__(self) -> str:
        measure = f" of {self.measure}" if self.measure else ""
        return f"<factors{measure} by {self.fitted.scheme} for {self._span()}>"


def digest_of_scores(topics: list[str], systems: list[str], values: Array) -> str:
    """Return ``sha256:...`` of a score matrix: its labels as JSON, then its doubles.

    The doubles are those of the rows in order, 8 bytes each, little-endian, NaN as the
    quiet NaN of NumPy, so that equal matrices have equal digests on every machine.
    """
    sha = hashlib.sha256(json.dumps([topics, systems]).encode())
    sha.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    return f"sha256:{sha.hexdigest()}"
