"""Result of `reference_uncertainty`: standard errors of means and of their differences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cdfscore.showing import Shown

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the parts of the uncertainty, in both tables.
PARTS = (
    "stderr_topics",
    "stderr_reference",
    "stderr_both",
    "reference_share",
    "both_df",
    "both_low",
    "both_high",
)


@dataclass(frozen=True, eq=False, repr=False)
class ReferenceUncertainty(Shown):
    """Result of `reference_uncertainty`: standard errors of means and of differences.

    `means` has a row for each scheme and system, with the ``mean`` of its standardized scores over
    ``n`` topics. `pairs` has a row for each scheme and pair, with the ``difference`` of the two
    means, a minus b, over the topics that both have. Both tables have these columns:

    - ``stderr_topics``, ``stderr_reference`` and ``stderr_both``: the standard errors.
    - ``reference_share``: the share of the reference systems in the variance from both.
    - ``both_low`` and ``both_high``: the interval, from Student's t with ``both_df`` degrees of
      freedom.

    All are NaN for fewer than two topics.

    `method` describes the resamples. `systems` is the number of reference systems, and `members`
    the number of compared systems among them. `conf_level` is the level of the intervals. `notes`
    are sentences about the resamples; `cautions` are those notes that warn of a wrong reading.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.comparison import reference_uncertainty
    >>> ap = datasets.load_cranfield("ap")
    >>> new, others = ap[["bm25_k1.2_b0.75", "tfidf"]], ap.iloc[:, 20:32]
    >>> found = reference_uncertainty(new, "normal", reference=others, resamples=200)
    >>> type(found).__name__, found.systems, found.members, len(found.means), len(found.pairs)
    ('ReferenceUncertainty', 12, 0, 2, 1)
    """

    means: pd.DataFrame
    pairs: pd.DataFrame
    method: str
    systems: int
    members: int
    conf_level: float
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return list(dict.fromkeys(self.means["scheme"]))

    @property
    def sentence(self) -> str:
        """Sentence about the standard errors for a caption."""
        among = f" ({self.members} of them compared systems)" * bool(self.members)
        return (
            "Standard errors of the difference of two means: from the topics, with fixed factors; "
            f"from the {self.systems} reference systems{among}, with fixed topics; and from both, "
            f"with intervals of {100 * self.conf_level:.12g} % for each difference separately; "
            f"reference systems are drawn with replacement, {self.method}"
        )

    def __repr__(self) -> str:
        shares = self.pairs.groupby("scheme", sort=False)["reference_share"].median()
        found = ", ".join(f"{100 * share:.3g} % by {scheme}" for scheme, share in shares.items())
        return (
            f"<uncertainty from {self.systems} reference systems, {self.method}; median share in "
            f"the variance of differences: {found}>"
        )
