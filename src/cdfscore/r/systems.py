"""Verification of what a comparison says of each system: interval of the mean, rank, letters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.comparison.choices import check_letters
from cdfscore.comparison.comparison import has_ranks, mean_intervals, mean_ranks
from cdfscore.comparison.differences import Differences
from cdfscore.comparison.pairs import Family
from cdfscore.comparison.ranking import groups
from cdfscore.errors import SignificanceError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r.analysis import TestAnalysis
from cdfscore.r.further import Checked, Further
from cdfscore.significance.contract import terms_of_end
from cdfscore.significance.one_sample_t import one_sample_t
from cdfscore.standardization.standardized import Standardized

_COUNTED = Tolerance(0, "a whole number")
_RANKS = Tolerance(64, "sums of differences of ranks, and means of ranks; each is rounded")


@dataclass(frozen=True, eq=False)
class OfSystems(Further):
    """What goes with a test of systems, besides the numbers of the test."""

    found: Standardized
    compared: Differences
    tested: TestAnalysis
    p_adjusted: Array

    sources = (Path(__file__).with_suffix(".R"),)
    function = "analyze_systems"
    given = ("y", "tested")

    @property
    def told(self) -> str:
        """What else is computed."""
        return f"intervals of means{' and letters' if self._has_letters else ''}"

    @cached_property
    def numbers(self) -> list[Checked]:
        """The intervals of means, mean ranks, and for each pair whether it shares a letter."""
        systems = list(self.found.scores.columns)
        ends = mean_intervals(self.found, self.tested.chosen.conf_level)
        means = self.found.means["mean"].to_numpy()
        own = [Checked.row("mean: n", systems, ends["n"].to_numpy(), _COUNTED)]
        for end in ("low", "high"):
            values, tolerance = ends[end].to_numpy(), one_sample_t.tolerances[f"conf_{end}"]
            terms = terms_of_end(values, means)
            name = f"mean: conf {end}"
            own.append(Checked.row(name, systems, values, tolerance, terms, f"conf_{end}"))
        if self._has_ranks:
            ranks = mean_ranks(self.compared.matrix)
            own.append(Checked.row("mean: rank", systems, ranks, _RANKS, like=None))
        result = self.compared.result
        for name, count in (("n", result.n), ("n b", result.n_y)):
            every = np.atleast_1d(np.broadcast_to(count, np.shape(result.p_value)))
            own.append(
                Checked.row(name, self._labels, every[self._places].astype(np.float64), _COUNTED)
            )
        if self._has_letters:
            own.append(Checked.row("letter in common", self._labels, self._in_common(), _COUNTED))
        return own

    @property
    def arguments(self) -> dict[str, Any]:
        """The level of the intervals, the level of the letters, and whether there are any."""
        return {
            "kind": self.tested.chosen.test.samples,
            "baselines": list(self.tested.baselines),
            "conf_level": self.tested.chosen.conf_level,
            "alpha": self.tested.alpha,
            "letters": self._has_letters,
            "ranks": self._has_ranks,
        }

    @property
    def _family(self) -> Family:
        family = self.compared.about
        assert isinstance(family, Family)  # a test of one sample has no letters
        return family

    @cached_property
    def _places(self) -> IntArray:
        """The pairs that R tests."""
        sample = self.tested.sample
        return np.arange(len(self.compared.labels)) if sample is None else sample.places

    @property
    def _labels(self) -> list[str]:
        every = self.compared.labels
        return [every[place] for place in self._places]

    @cached_property
    def _has_letters(self) -> bool:
        try:
            check_letters(self.tested.chosen, self.tested.baselines)
        except SignificanceError:  # not of all pairs, or not two-sided
            return False
        return True

    @property
    def _has_ranks(self) -> bool:
        return has_ranks(self.tested.chosen, self._family, self.compared.matrix)

    def _in_common(self) -> Array:
        """Return 1 for each pair of systems in one group of the letters, and else 0."""
        family, means = self._family, self.found.means["mean"]
        if self._has_ranks:
            means = means.copy()
            means[:] = -mean_ranks(self.compared.matrix)
        ordered = means.sort_values(ascending=False, kind="stable").index
        first, second = (np.array(names, dtype=object) for names in family.names)
        apart = self.p_adjusted <= self.tested.alpha
        of_letters = groups(list(ordered), zip(first[apart], second[apart], strict=True))
        place = {system: i for i, system in enumerate(family.systems)}
        member = np.zeros((len(of_letters), len(place)), dtype=bool)
        for i, group in enumerate(of_letters):
            member[i, [place[system] for system in group]] = True
        a, b = family.first[self._places], family.second[self._places]
        return np.asarray((member[:, a] & member[:, b]).any(axis=0), dtype=np.float64)
