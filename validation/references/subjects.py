"""What is recorded: a subject for every spelling of a scheme, and one for the numerics."""

from __future__ import annotations

from typing import Any, Protocol

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from validation.parity.variants import variants
from validation.references.numerics_subject import NumericsSubject
from validation.references.scheme_subject import SchemeSubject

Arrays = dict[str, Array]

NUMERICS = "numerics"


class Subject(Protocol):
    """Something that R and Python both compute from one-dimensional arrays with names."""

    tolerance: Tolerance

    def call(self) -> dict[str, Any]:
        """Return what is called in R, as it stands in the file."""
        ...

    def inputs(self) -> dict[str, Arrays]:
        """Make the inputs by label."""
        ...

    def by_python(self, inputs: Arrays) -> Arrays:
        """Compute the outputs of one case here."""
        ...

    def by_r(self, r: RSession, inputs: Arrays) -> Arrays:
        """Compute them in R."""
        ...


def names() -> list[str]:
    """Name every subject: the spellings of the parity campaign, and the numerics."""
    return [*variants(), NUMERICS]


def subject(name: str) -> Subject:
    """Return the subject of this name."""
    return NumericsSubject() if name == NUMERICS else SchemeSubject(name)
