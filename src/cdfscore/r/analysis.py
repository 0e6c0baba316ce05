"""What R computes: scores by a scheme and its policies, and further parts of an analysis."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.r.checks import Checked, Quantity
from cdfscore.r.published import Compared
from cdfscore.schemes.base import Scheme
from cdfscore.significance.contract import Draws
from cdfscore.standardization import policies
from cdfscore.standardization.policies import (
    ConstantPolicy,
    LowerIsBetter,
    MissingPolicy,
    UnfittedPolicy,
)
from cdfscore.standardization.standardized import ExtraTopics

if TYPE_CHECKING:
    import pandas as pd

_FOLDER = Path(__file__).parent
#: The R files that define the analysis, in addition to the twin of the scheme.
SOURCES = (
    Path(policies.__file__).with_suffix(".R"),
    _FOLDER / "rows.R",
    _FOLDER / "analysis.R",
)
SIGNIFICANCE = _FOLDER / "tests.R"
#: Further R files for a significance test.
TEST_SOURCES = (SIGNIFICANCE, _FOLDER / "draws.R", _FOLDER / "differences.R")
#: The function of ``differences.R`` that runs a test, by what the test compares.
RUN_ON = {
    "one sample": "on_each_system",
    "all systems": "on_all_systems",
    "paired": "on_each_pair",
    "unpaired": "on_each_pair",
    "pairs": "on_all_pairs",
}
#: Start of the note with the reason if the test stops on every sample.
STOPPED = "the test has no number, as it stops:"
IF_STOPPED = 'if (nzchar(attr(tested, "stopped")))'
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\t": r"\t", "\r": r"\r", "\n": r"\n"})


def expression(value: object) -> str:
    """Return an argument as an R expression; a list is a vector, and a dict a list.

    >>> print(expression({"stemmer": ["none", "s"], "alpha": 0.5, "systems": None}))
    list("stemmer" = c("none", "s"), "alpha" = decimal("0.5"), "systems" = NULL)
    >>> print(expression([]))
    character(0)
    """
    if isinstance(value, dict):
        named = (f"{expression(name)} = {expression(each)}" for name, each in value.items())
        return f"list({', '.join(named)})"
    if isinstance(value, list) and value and all(isinstance(each, float) for each in value):
        return f"decimal({expression(list(map(repr, value)))})"
    if isinstance(value, list):  # c() would be NULL
        return f"c({', '.join(map(expression, value))})" if value else "character(0)"
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):  # read exactly
        return f'decimal("{value!r}")'
    return str(value) if isinstance(value, int) else f'"{str(value).translate(_ESCAPED)}"'


@dataclass(frozen=True)
class DrawsFile:
    """Sets of random draws, one after another.

    `draws` has each set by its name in R, and `of` names the analysis that uses them.
    """

    draws: Mapping[str, Draws]
    of: str = "the test"

    @property
    def size(self) -> int:
        """The number of bytes."""
        return sum(draws.size for draws in self.draws.values())

    @property
    def md5(self) -> str:
        """The digest by which a script recognizes the file; base R has no better one."""
        digest = hashlib.md5(usedforsecurity=False)
        for chunk in self.content():
            digest.update(chunk)
        return digest.hexdigest()

    def content(self) -> Iterator[bytes]:
        """Yield the bytes; each call draws them again."""
        for draws in self.draws.values():
            yield from draws.encoded()

    def write(self, path: Path) -> None:
        """Write the file."""
        with path.open("wb") as stream:
            stream.writelines(self.content())

    def code(self, names: Collection[str]) -> str:
        """Return the call that reads the sets with these names from the file ``draws``."""
        offset, sets = 0, list[str]()
        for name, each in self.draws.items():
            if name in names:
                place = {"offset": offset, "trials": each.trials, "numbers": each.numbers}
                sets.append(f'    "{name}" = {expression({**place, "width": each.width})}')
            offset += each.size
        listed = ",\n".join(["", *sets]).removeprefix(",")
        return f"draws_from({'draws' if sets else 'NULL'}, list({listed}))"


class Part(ABC):
    """A part of an analysis in Python, and the code of R that does the same."""

    #: The R files that define the function, in addition to those of the standardization.
    sources: tuple[Path, ...] = ()
    #: The name of the function.
    function: str
    #: The arguments before `arguments`, by their names in ``script.R``: the standardized scores y,
    #: the numbers of the test ("tested"), or the scores after the policies ("settled", and those of
    #: `other`) and "how" they are standardized.
    given: tuple[str, ...] = ("y",)
    #: Whether the part is the significance test, which a published table may have pairs of.
    is_test = False
    #: Who uses the random draws.
    drawn_for = ""

    @property
    @abstractmethod
    def numbers(self) -> list[Checked]:
        """The numbers to compare, in the order of R."""

    @property
    @abstractmethod
    def told(self) -> str:
        """The description of the part in the first lines of a script."""

    @property
    def alpha(self) -> float | None:
        """The level of decisions; None if no number is a p value like that of a test."""
        return None

    @property
    def other(self) -> pd.DataFrame | None:
        """Scores that are standardized by themselves, for ``other`` after their policies."""
        return None

    @property
    def undefined(self) -> str:
        """The reason, if the part has no number in Python; R must have none either, or stop."""
        return ""

    @property
    def settings(self) -> Mapping[str, object]:
        """The options of the part, as a result in JSON states them."""
        return {}

    @property
    def facts(self) -> Mapping[str, object]:
        """What a result in JSON states of the part besides numbers and options."""
        return {}

    @property
    def published(self) -> Mapping[str, object]:
        """What the argument `how` of check_published has of the part."""
        return {}

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the function by name: text, numbers, lists of them, dicts, or None."""
        return {}

    @property
    def called(self) -> tuple[str, ...]:
        """The R functions that an argument names, which a script must have."""
        return ()

    @property
    def twins(self) -> dict[Path, str]:
        """The R files that may be those of a plug-in, each with the name of its function."""
        return {}

    @property
    def draws(self) -> Mapping[str, Draws]:
        """Random draws by their names in R, for the argument ``draws``."""
        return {}

    @property
    def notes_on_draws(self) -> list[str]:
        """Notes on a part that draws."""
        return []

    def notes_on(self, theirs: AnalysisInR) -> list[str]:
        """Return notes on the comparison with R."""
        return []

    def code(self, draws: DrawsFile, *, compares_tables: bool) -> str:
        """Return the lines that compute the part.

        To compare tables, a test defines ``retest``, which tests pairs in the opposite order.
        """
        own = {name: expression(value) for name, value in self.arguments.items()}
        if self.draws:
            own["draws"] = draws.code(self.draws)
        arguments = "".join(f",\n  {name} = {value}" for name, value in own.items())
        return (
            f"further <- noted({self.function}, {', '.join(self.given)}{arguments})\n"
            'notes <- c(notes, attr(further, "notes"))\n'
            "results <- c(results, further)\n"
        )


@dataclass(frozen=True)
class AnalysisInR:
    """The numbers of R, and the message of the test if it stops on every sample, else "".

    The notes are the other messages of R: where it stops, and its warnings.
    """

    quantities: list[Quantity]
    version: str
    stopped: str = ""
    notes: list[str] = field(default_factory=list)
    published: tuple[Compared, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """The analysis to run: a scheme, its policies as in `Standardizer`, and further parts."""

    scheme: Scheme
    constant: ConstantPolicy
    missing: MissingPolicy
    unfitted: UnfittedPolicy = "raise"
    lower_is_better: LowerIsBetter = ()
    reflect_at: float = 0.0
    extra_topics: ExtraTopics = "refuse"
    parts: tuple[Part, ...] = ()
    #: The argument `how` of check_published.
    published: Mapping[str, Any] = field(default_factory=dict)

    @property
    def constant_in_r(self) -> str | None:
        """The policy in R, None for the limit; urbano2019 is for a scheme with mean and sd."""
        has_moments = {"mean", "sd"} <= set(self.scheme.parameter_names())
        plain = self.constant == "urbano2019" and not has_moments
        return None if plain or self.constant == "limit" else self.constant

    @property
    def draws(self) -> DrawsFile:
        """The random draws of all parts; empty if there are none."""
        drawn = [each for each in self.parts if each.draws]
        of = " and ".join(each.drawn_for for each in drawn)
        sets = {name: own for each in drawn for name, own in each.draws.items()}
        return DrawsFile(sets, of or "the test")

    @property
    def other(self) -> pd.DataFrame | None:
        """Scores that a part needs too, standardized by themselves."""
        return next((each.other for each in self.parts if each.other is not None), None)
