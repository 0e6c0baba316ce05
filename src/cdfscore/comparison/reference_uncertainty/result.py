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
    """Result of `reference_uncertainty`.

    `means` has a row for each scheme and system, with the ``mean`` of its standardized scores over
    ``n`` topics; `pairs` one for each scheme and pair, with the ``difference`` of the two means, a
    minus b, over the topics that both have. The other columns are the same in both: the standard
    errors ``stderr_topics``, ``stderr_reference`` and ``stderr_both``, the share of the reference
    systems in the variance of both, ``reference_share``, and the interval from ``both_low`` to
    ``both_high``, of Student's t with ``both_df`` degrees of freedom. All are NaN for fewer than
    two topics.

    `method` tells the resamples, `systems` is the number of reference systems, `members` that of
    compared systems that are among them, and `conf_level` is the level of the intervals. `notes`
    tell what a reader should know of the resamples, and `cautions` are those of the notes that may
    make a reader take the numbers for what they are not.
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
        """What the standard errors are of, in the words of a caption."""
        among = f" ({self.members} of them compared systems)" * bool(self.members)
        return (
            "Standard errors of the difference of two means: from the topics, with fixed factors; "
            f"from the {self.systems} reference systems{among}, with fixed topics; and from both, "
            f"with intervals of {100 * self.conf_level:g} % for each difference separately; "
            f"reference systems are drawn with replacement, {self.method}"
        )

    def __repr__(self) -> str:
        shares = self.pairs.groupby("scheme", sort=False)["reference_share"].median()
        found = ", ".join(f"{100 * share:.3g} % by {scheme}" for scheme, share in shares.items())
        return (
            f"<uncertainty from {self.systems} reference systems, {self.method}; median share in "
            f"the variance of differences: {found}>"
        )
