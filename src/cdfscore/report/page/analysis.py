"""The content of a page: the results of an analysis, and the files it was computed from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.comparison.two_collections import TwoCollections
    from cdfscore.diagnosis import Diagnosis
    from cdfscore.standardization.standardized import Standardized


#: The name of the scores among the inputs.
SCORES = "scores"
#: The name of the scores of another collection among the inputs.
OTHER = "scores of the other collection"


@dataclass(frozen=True)
class Input:
    """A file that was read: what it is, its name, and the SHA-256 digest of its bytes."""

    what: str
    name: str
    sha256: str


@dataclass(frozen=True, eq=False)
class RParity:
    """The comparison with R: the table of `cdfscore.verify`, and the script, or the reasons.

    `table` is None where R was not run, and `script` where no script can be given; `reasons` say
    why. `stopped` is what R says if it stops where Python does not, and `run` the command that runs
    the script.
    """

    table: pd.DataFrame | None = None
    script: bytes | None = None
    reasons: list[str] = field(default_factory=list)
    stopped: str = ""
    run: str = ""

    @property
    def told(self) -> list[str]:
        """Whether and how R differs, where it stops and warns, and why R was not run."""
        notes = [] if self.table is None else self.table.attrs["notes_on_r"]
        return [*self.apart, *notes, *self.reasons]

    @property
    def apart(self) -> list[str]:
        """Sentences on R's disagreement, none if it agrees or was not run."""
        from cdfscore.r.distances import verdicts

        found = [self.stopped] if self.stopped else []
        if self.table is not None and not self.table["agrees"].all():
            version = self.table.attrs["r_version"]
            found += [f"{version} differs {verdict}" for verdict in verdicts(self.table)]
        return found


@dataclass(frozen=True, eq=False)
class Analysis:
    """The results that a page shows.

    `standardized` are the scores, and `comparison` the tests of them by the same scheme.
    `sensitivity` and `diagnosis` are None where they were not possible, which `notes` say.
    `diagnosed` names the scores of the diagnosis, and `command` is what was typed. `beside` has
    the systems of another collection too, if one was given.
    """

    inputs: list[Input]
    standardized: Standardized
    comparison: Comparison
    sensitivity: Sensitivity | None
    diagnosis: Diagnosis | None
    diagnosed: str
    r: RParity
    command: str
    notes: list[str] = field(default_factory=list)
    beside: TwoCollections | None = None

    @property
    def scheme(self) -> str:
        """The scheme of the tests, as the command line spells it."""
        return self.comparison.schemes[0]

    @property
    def is_raw(self) -> bool:
        """True if the scores are analyzed as they are."""
        return not self.standardized.factors.fitted.parameters

    @property
    def collections(self) -> tuple[str, str]:
        """The names of the files of both collections, with the folders that tell them apart."""
        ours, others = (
            [each.name for each in self.inputs if each.what == what] for what in (SCORES, OTHER)
        )
        deepest = max(len(Path(name).parts) for name in [*ours, *others])
        for depth in range(1, deepest + 1):
            here, there = (
                ", ".join(str(Path(*Path(name).parts[-depth:])) for name in names)
                for names in (ours, others)
            )
            if here != there:
                break
        return here, there

    @property
    def cautions(self) -> list[str]:
        """Cautions on results that are easily misread, each once."""
        return list(dict.fromkeys([*self.comparison.cautions, *self.standardized.cautions]))

    @property
    def all_notes(self) -> list[str]:
        """All notes, each once: errors first, then cautions, then the others."""
        found = [*self.r.apart, *self.cautions, *self.comparison.notes, *self.notes]
        for result in (self.beside, self.sensitivity, self.diagnosis):
            found += [] if result is None else list(result.notes)
        if self.r.table is not None:
            found += self.r.table.attrs["notes"]
        return list(dict.fromkeys([*found, *self.r.reasons]))
