"""Policies of a command: for constant topics, missing scores, and unfitted topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from cdfscore.cli.options import ConstantOption, MissingOption, UnfittedOption, with_options_of

if TYPE_CHECKING:
    from cdfscore.cli.direction import Direction
    from cdfscore.standardization.policies.constant import ConstantPolicy
    from cdfscore.standardization.policies.missing import MissingPolicy
    from cdfscore.standardization.policies.unfitted import UnfittedPolicy
    from cdfscore.standardization.standardizer import Standardizer


@dataclass(frozen=True)
class Policies:
    """The policies of a command, or their defaults."""

    constant: ConstantOption = "limit"
    missing: MissingOption = "raise"
    unfitted: UnfittedOption = "raise"

    def standardizer(self, scheme: str, direction: Direction) -> Standardizer:
        """Return a scheme with these policies, after checks."""
        from cdfscore.standardization.standardizer import Standardizer

        return Standardizer(
            scheme,
            cast("ConstantPolicy", self.constant),
            cast("MissingPolicy", self.missing),
            cast("UnfittedPolicy", self.unfitted),
            lower_is_better=direction.lower_is_better,
            reflect_at=direction.reflect_at,
        )


def with_policies(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Policies` in place of its argument `policies`."""
    return with_options_of(Policies, "policies", command)
