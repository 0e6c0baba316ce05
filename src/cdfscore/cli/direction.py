"""Options for the topics on which lower scores are better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cdfscore.standardization.policies.direction import LowerIsBetter

LowerIsBetterOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="Topic on which lower scores are better, such as an error rate. Its scores are "
        "negated first. May be repeated; all stands for every topic.",
    ),
]
AllLowerIsBetterOption = Annotated[
    bool, typer.Option("--all-lower-is-better", help="Lower is better on every topic.")
]
ReflectAtOption = Annotated[
    float,
    typer.Option(
        metavar="X",
        help="If lower is better, replace each score x by X - x, and not by -x. Use 1 for error "
        "rates with a distribution on [0, 1].",
        show_default=False,
    ),
]

_ALL = "all"


@dataclass(frozen=True)
class Direction:
    """The topics on which lower is better, and X of their reversed scores X - x."""

    lower_is_better: LowerIsBetter
    reflect_at: float

    @property
    def is_given(self) -> bool:
        """True if lower is better on any topic."""
        return bool(self.lower_is_better)

    @classmethod
    def of(
        cls,
        lower_is_better: LowerIsBetterOption = None,
        all_lower_is_better: AllLowerIsBetterOption = False,
        reflect_at: ReflectAtOption = 0.0,
    ) -> Direction:
        """Return the direction that the options describe."""
        if lower_is_better and all_lower_is_better:
            raise typer.BadParameter(
                "--lower-is-better and --all-lower-is-better exclude each other"
            )
        if lower_is_better and _ALL in lower_is_better:  # no topic, but a summary
            if len(lower_is_better) > 1:
                raise typer.BadParameter(
                    f"--lower-is-better {_ALL} covers every topic; expected no other "
                    "--lower-is-better"
                )
            all_lower_is_better, lower_is_better = True, None
        if reflect_at and not (lower_is_better or all_lower_is_better):
            raise typer.BadParameter(
                "--reflect-at needs --lower-is-better LABEL, or --all-lower-is-better"
            )
        return cls(all_lower_is_better or tuple(lower_is_better or ()), reflect_at)
