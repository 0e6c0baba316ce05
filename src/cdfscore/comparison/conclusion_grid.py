"""Grid of conclusions: the pairs of systems that differ, by scheme and by test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdfscore.comparison.choices import check_letters
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.notes import joined
from cdfscore.errors import SignificanceError
from cdfscore.showing import Drawn

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ConclusionGrid(Drawn):
    """Comparisons of the same systems by the same schemes, with different tests.

    Parameters
    ----------
    comparisons
        Results of `cdfscore.compare` for all pairs.

    Raises
    ------
    SignificanceError
        If there is no comparison, if two comparisons have the same test, if they have different
        systems, schemes or levels, if one is not of all pairs, or if one is not a two-sided test
        of no difference.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:, :12]
    >>> schemes = ["raw", "normal"]
    >>> tests = ["paired_t", "sign"]
    >>> grid = ConclusionGrid([compare(scores, test, scheme=schemes) for test in tests])
    >>> grid.pairs, grid.counts
    (66,         paired_t  sign
    raw           32    43
    normal        43    43)
    """

    comparisons: Sequence[Comparison]

    def __post_init__(self) -> None:
        if not self.comparisons:
            raise SignificanceError("there is no comparison in the grid; expected one or more")
        first, tests = self.comparisons[0], list[str]()
        for each in self.comparisons:
            check_letters(each.chosen, each.family.baselines)
            if each.test in tests:
                raise SignificanceError(
                    f"two comparisons of the grid are by {each.test}; expected different tests"
                )
            tests.append(each.test)
            for name in ("schemes", "systems", "alpha"):
                own, others = getattr(each, name), getattr(first, name)
                if own != others:
                    raise SignificanceError(
                        f"the comparison by {each.test} has the {name} {own}, and the comparison "
                        f"by {first.test} has {others}; expected the same {name} in all"
                    )

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return self.comparisons[0].schemes

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return len(self.comparisons[0].family)

    @property
    def notes(self) -> list[str]:
        """The notes of all comparisons, each once; a note of some tests names them."""
        return joined({each.test: each.notes for each in self.comparisons})

    @property
    def counts(self) -> pd.DataFrame:
        """The number of pairs that differ at alpha, schemes x tests."""
        import pandas as pd

        found = {}
        for each in self.comparisons:
            differ = each.table["p_adjusted"] <= each.alpha
            found[each.test] = differ.groupby(each.table["scheme"], sort=False).sum()
        return pd.DataFrame(found).loc[self.schemes].rename_axis(None)
