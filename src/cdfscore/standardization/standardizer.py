"""The main job: a scheme over a score matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.io.scores import as_scores, topic_labels
from cdfscore.numerics.moments import count
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Fitted, Scheme
from cdfscore.schemes.registry import schemes
from cdfscore.standardization.factors import Factors, digest_of_scores
from cdfscore.standardization.policies import constant as degenerate_topics
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies import unfitted as unfitted_topics

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Standardizer:
    """Standardize scores topic by topic: y = F_t(x), F_t fitted on reference systems.

    Parameters
    ----------
    scheme
        A scheme, or its spelling such as ``"empirical"`` or ``"uniform:A=0.15,B=0.5"``.
    degenerate
        What a topic gets whose reference scores are all equal: "limit" (the scheme's own
        limit as the spread goes to 0), "half", "nan", "raise", "urbano2019", "trec_eval"
        or "matters"; see `cdfscore.standardization.policies.constant.check_policy`.
    missing
        What a missing score gets: "raise", "omit", "zero" or "drop_topic"; see
        `cdfscore.standardization.policies.missing.check_policy`.
    unfitted
        What a topic gets that the scheme cannot be fitted to: "raise", "nan" or "drop_topic";
        see `cdfscore.standardization.policies.unfitted.check_policy`. The factors say why, as
        `refused`.

    Raises
    ------
    SchemeError
        For an unknown scheme, setting or policy, or a policy that the scheme has no use for.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {"bm25": [0.2, 0.6], "lsa": [0.4, 0.5], "ql": [0.3, 0.7]}, index=["301", "302"]
    ... )
    >>> factors = Standardizer("empirical").fit(scores)
    >>> factors.transform(scores).round(3)
            bm25    lsa     ql
    topic
    301    0.333  1.000  0.667
    302    0.667  0.333  1.000
    """

    scheme: Scheme | str
    degenerate: str = "limit"
    missing: str = "raise"
    unfitted: str = "raise"

    def __post_init__(self) -> None:
        if isinstance(self.scheme, str):
            object.__setattr__(self, "scheme", schemes.parse(self.scheme))
        if not isinstance(self.scheme, Scheme):
            raise SchemeError(
                f"scheme={self.scheme!r} is not accepted; expected a scheme such as Normal(), "
                "or its spelling such as 'normal'"
            )
        degenerate_topics.check_policy(self.degenerate, self.parsed)
        missing_scores.check_policy(self.missing)
        unfitted_topics.check_policy(self.unfitted)

    def fit(self, reference: pd.DataFrame, *, measure: str | None = None) -> Factors:
        """Fit the scheme to the reference systems' scores and return the factors.

        `reference` is topics x systems, as `read_scores` returns it; `measure` is a note of
        what was measured, kept with the factors.

        Raises `ScoresError` for what is no score matrix, `MissingScoreError` and
        `DegenerateTopicError` as the policies say, and `FitError` for a topic that the
        scheme cannot be fitted to, as the policy says, or if there is no other.
        """
        import pandas as pd

        checked = as_scores(reference)
        scores = missing_scores.resolve(self.missing, checked, "reference scores")
        values = scores.to_numpy()
        topics = topic_labels(scores)
        fitted, rows, refused = self._fit(values, topics)
        systems, kept = list(scores.columns), set(topics)
        return Factors(
            fitted,
            tuple(topics[row] for row in rows),
            n=count(values)[rows, 0],
            degenerate=self.degenerate,
            missing=self.missing,
            unfitted=self.unfitted,
            measure=measure,
            systems=tuple(systems),
            digest=digest_of_scores(topics, systems, values),
            positions=len(checked) if isinstance(checked.index, pd.RangeIndex) else None,
            dropped=tuple(t for t in topic_labels(checked) if t not in kept),
            refused=refused,
        )

    def fit_transform(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Standardize `scores` with themselves as the reference systems."""
        return self.fit(scores).transform(scores)

    @property
    def parsed(self) -> Scheme:
        """The scheme, read from its spelling if it was given as one."""
        assert isinstance(self.scheme, Scheme)
        return self.scheme

    def _fit(self, values: Array, topics: list[str]) -> tuple[Fitted, IntArray, dict[str, str]]:
        """Return the fit, the rows that it is of, and the reason for each topic without one."""
        if self.unfitted == "raise":
            try:
                return self.parsed.fit(values), np.arange(len(values)), {}
            except FitError as error:
                if error.row is None:
                    raise
                reason = str(error).removeprefix(f"row {error.row}: ")
                raise FitError(f"topic {topics[error.row]!r}: {reason}", row=error.row) from error
        fitted, rows, reasons = unfitted_topics.fit_where_possible(self.parsed, values)
        refused = {topics[row]: reasons[row] for row in sorted(reasons)}
        if not rows.size and refused:
            topic, reason = next(iter(refused.items()))
            raise FitError(f"there is no topic that {self.parsed} fits; topic {topic!r}: {reason}")
        return fitted, rows, refused
