"""The options for what a scheme is fitted to: reference scores, or factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdfscore.cli.factors import FactorsFile
from cdfscore.cli.form import Form
from cdfscore.cli.options import Direction, Policies, ReferenceOption, extra_topics_of
from cdfscore.errors import SchemeError

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.standardized import ExtraTopics, Standardized
    from cdfscore.standardization.standardizer import How


@dataclass(frozen=True)
class FittedTo(FactorsFile):
    """The reference scores or the factors of a command, and its policy for extra topics."""

    reference: ReferenceOption = None

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        return {"--reference": self.reference, **super().paths}

    def extra(self) -> ExtraTopics:
        """Return the policy for extra topics, after checks; see `extra_topics_of`."""
        return extra_topics_of(self.extra_topics, reference=self.reference, factors=self.factors)

    def ways(
        self, schemes: Sequence[str], policies: Policies, direction: Direction, form: Form
    ) -> list[How]:
        """Return the factors if they are given, or else the schemes, without duplicates.

        Raises `SchemeError` for reference scores if all schemes are raw.
        """
        from cdfscore.comparison.choices import check_different

        factors = self.load(form, policies)
        if factors is not None:
            return [factors]
        check_reference(self.reference, schemes)
        ways: list[How] = [policies.standardizer(each, direction) for each in schemes]
        check_different(ways)
        return ways


def check_reference(reference: str | None, schemes: Sequence[str]) -> None:
    """Raise `SchemeError` for reference scores if no scheme is fitted to them."""
    from cdfscore.schemes.base import parse_scheme

    if reference is not None and all(parse_scheme(each).name == "raw" for each in schemes):
        raise SchemeError(
            f"--reference {reference} has no effect on raw scores; expected --scheme with a "
            "scheme that is fitted, such as empirical, or no --reference"
        )


def standardized(
    scores: pd.DataFrame,
    ways: Sequence[How],
    fitted_on: pd.DataFrame | None,
    extra: ExtraTopics,
) -> list[Standardized]:
    """Standardize scores by each scheme or factors."""
    from cdfscore.standardization.standardizer import standardize

    return [standardize(scores, how, fitted_on, extra) for how in ways]
