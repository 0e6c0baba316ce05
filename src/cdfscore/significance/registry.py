"""Significance tests by name: those of this package, and those that other packages add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cdfscore.catalogue import FunctionCatalogue
from cdfscore.errors import SignificanceError
from cdfscore.significance.contract.base import ChosenTest


@dataclass(frozen=True)
class TestCatalogue(FunctionCatalogue):
    """Catalogue of significance tests; a test with settings is a `ChosenTest`."""

    __test__ = False  # for pytest, which takes the name for that of a test

    def _settings(self, member: Any) -> dict[str, Any]:
        hints = member.hints()
        return {name: hints[name] for name in member.setting_names}

    def _no_setting(self, member: Any, name: str, key: str) -> str:
        said: str = member.no_setting(key)
        return said

    def _made(self, member: Any, settings: dict[str, Any]) -> Any:
        return member.chosen(settings)


#: Names elsewhere, without "test", that no words of the tests' own names answer.
_ELSEWHERE = {
    "t": ("paired_t", "student_t", "welch_t", "one_sample_t"),
    "student": ("paired_t", "student_t"),
    "wilcoxon": ("wilcoxon_signed_rank", "mann_whitney"),
    "wilcox": ("wilcoxon_signed_rank", "mann_whitney"),
    "rank_sum": ("mann_whitney",),
    "u": ("mann_whitney",),
    "mannwhitneyu": ("mann_whitney",),
    "randomization": ("permutation", "permutation_unpaired", "randomized_tukey_hsd"),
    "fisher": ("permutation", "permutation_unpaired"),
    "ks": ("kolmogorov_smirnov",),
    "tost": ("equivalence_t",),
    "f": ("anova_two_way", "variance_ratio"),
    "hsd": ("tukey_hsd", "randomized_tukey_hsd"),
    "binomial": ("sign",),
}

significance_tests = TestCatalogue(
    "cdfscore.significance", "significance test", SignificanceError, elsewhere=_ELSEWHERE
)


def parse_test(text: str) -> ChosenTest:
    """Return a test with settings from its spelling, ``name`` or ``name:key=value,key=value``.

    Parameters
    ----------
    text
        The spelling, as in the option ``--test`` of the command line.

    Raises
    ------
    SignificanceError
        For an unknown name, an unknown setting, or a value that is not accepted.

    Examples
    --------
    >>> print(parse_test("paired_t:alternative=greater"))
    paired_t:alternative=greater
    """
    chosen: ChosenTest = significance_tests.parse(text)
    return chosen
