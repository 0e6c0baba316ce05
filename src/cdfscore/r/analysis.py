"""What R computes: scores by a scheme and its policies, and further parts of an analysis."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.common.text import written
from cdfscore.errors import VerificationError
from cdfscore.standardization import policies
from cdfscore.standardization.policies import (
    ConstantPolicy,
    LowerIsBetter,
    MissingPolicy,
    UnfittedPolicy,
)
from cdfscore.standardization.standardized import ExtraTopics
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme
from cdfscore.stats.significance.contract import Draws

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.r.published import Compared


#: p values that are farther apart never agree: what the largest tolerance is of 1.
MOST_OF_P = 1e-6


@dataclass(frozen=True)
class Quantity:
    """Numbers of one kind: one value for each topic and system."""

    name: str
    topics: list[str]
    systems: list[str]
    values: Array


@dataclass(frozen=True)
class Checked:
    """Numbers of Python, the tolerance for those of R, and the `terms` of `Tolerance.distance`.

    `like` is the number of a test that depends on differences of the scores in the same way, if
    any; `alpha` is the level of decisions if these are p values.
    """

    quantity: Quantity
    tolerance: Tolerance
    terms: Array | None = None
    like: str | None = None
    alpha: float | None = None

    @classmethod
    def row(
        cls,
        name: str,
        labels: Sequence[str],
        values: Array,
        tolerance: Tolerance,
        terms: Array | float = 0.0,
        like: str | None = "estimate",
    ) -> Checked:
        """Return numbers of a row of labels."""
        numbers = np.asarray(values, dtype=np.float64)[np.newaxis]
        sizes = np.broadcast_to(np.asarray(terms, dtype=np.float64), numbers.shape)
        return cls(Quantity(name, [""], list(labels), numbers), tolerance, sizes, like)

    def on(self, scores: Tolerance | None, alpha: float | None) -> Checked:
        """Return the numbers with their tolerance if the scores have this one, and their level."""
        allowed = self.tolerance
        if allowed.ulp and self.like is not None:  # whole numbers are the same
            allowed = on_scores_apart(allowed, self.like, scores)
        level = alpha if self.like == "p_value" else self.alpha
        return replace(self, tolerance=allowed, alpha=level)


def compared(
    ours: Quantity,
    theirs: Quantity,
    tolerance: Tolerance,
    terms: Array | None = None,
    alpha: float | None = None,
) -> dict[str, object]:
    """Return the row of `cdfscore.verify` for a quantity; for `terms` see `Tolerance.distance`."""
    for kind, here, there in (
        ("topics", ours.topics, theirs.topics),
        ("systems", ours.systems, theirs.systems),
    ):
        if here != there:
            unlike = sorted(set(here) ^ set(there)) or "the same in another order"
            raise VerificationError(
                f"R has other {kind} than Python for the {ours.name}: {unlike[:3]}; expected the "
                "same labels in the same order"
            )
    a, b = ours.values, theirs.values
    ulp = tolerance.distance(a, b, terms)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        absolute = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        relative = np.where(absolute == 0, 0.0, absolute / np.abs(b))
    allowed = min(tolerance.ulp, Tolerance.MOST)
    differs, places = "", ulp
    if not ulp.max() <= allowed:
        differs = "by more than the tolerance"
    if alpha is not None:
        rules = {
            f"in a decision at {written(alpha)}": (a <= alpha) != (b <= alpha),
            f"by more than {MOST_OF_P:g}": absolute > MOST_OF_P,
        }
        for rule, apart in rules.items():
            if apart.any():
                differs, places = rule, np.where(apart, ulp, -1.0)
                break
    topic, system = np.unravel_index(places.argmax(), ulp.shape)
    return {
        "quantity": ours.name,
        "count": int(np.count_nonzero(~np.isnan(a))),
        "max_abs": _largest(absolute),
        "max_rel": _largest(relative),
        "max_ulp": float(ulp.max()),
        "allowed_ulp": float(allowed),
        "reason": tolerance.reason,
        "agrees": not differs,
        "differs": differs,
        "topic": ours.topics[topic],
        "system": ours.systems[system],
        "python": float(a[topic, system]),
        "r": float(b[topic, system]),
    }


def on_scores_apart(stated: Tolerance, quantity: str, scores: Tolerance | None) -> Tolerance:
    """Return the tolerance of a number of a test if the scores have this one; see verify.3."""
    if not scores or not scores.ulp:
        return stated
    ulp, floor = stated.ulp + 100 * scores.ulp, stated.floor
    if quantity in ("p_value", "p_adjusted"):
        ulp = stated.ulp + 1000 * scores.ulp
    elif quantity not in ("stderr", "parameter"):
        floor = max(floor, scores.floor)
    reason = f"{stated.reason}; the scores may differ by {scores.ulp:.3g} ulp"
    return replace(stated, ulp=min(ulp, Tolerance.MOST), floor=floor, reason=reason)


def error_of_scores(tolerance: Tolerance, scores: Array) -> float:
    """Return the largest difference between the scores of Python and R within the tolerance."""
    largest = np.nanmax(np.abs(scores), initial=tolerance.floor)
    return float(tolerance.ulp * np.spacing(largest)) if tolerance.ulp else 0.0


def terms_of_bound(bound: Array, allowed: Tolerance) -> Array:
    """Return the size of terms for `Tolerance.distance` that allows all within the bound."""
    return bound * 2.0**54 / allowed.ulp if allowed.ulp else np.zeros_like(bound)


def verdicts(table: pd.DataFrame) -> list[str]:
    """Return how the numbers of a table of `cdfscore.verify` differ, with the quantities."""
    apart = table[~table["agrees"]]
    return [
        f"{differs}: {', '.join(names)}"
        for differs, names in apart.groupby("differs", sort=False)["quantity"]
    ]


def _largest(differences: Array) -> float:
    return float(np.where(np.isnan(differences), np.inf, differences).max())


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


class InR(str):
    """Code of R, which `expression` leaves as it is."""


def expression(value: object) -> str:
    """Return an argument as an R expression; a list is a vector, and a dict a list."""
    if isinstance(value, InR):
        return value
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
class Judged:
    """Numbers of another judge than R, NaN where it has none, and the functions that made them."""

    values: Array
    by: str


@dataclass(frozen=True)
class DrawsFile:
    """Sets of random draws by their names in R, one after another, of an analysis."""

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
    #: What is of other packages, but for the scheme.
    traces: Sequence[str] = ()

    @property
    @abstractmethod
    def numbers(self) -> list[Checked]:
        """The numbers to compare, in the order of R."""

    def checks(self, scores: Tolerance | None) -> list[Checked]:
        """Return the numbers, with the tolerances where the scores have this one.

        None is for statsmodels: it takes the scores as they are, less what all of them share, and
        has numbers where R stops.
        """
        return [own.on(scores, self.alpha) for own in self.numbers]

    def sizes(self, scores: Array) -> tuple[Array, Array]:
        """Return the largest size of the scores (topics, systems) of each difference.

        The second is half the range of the scores from which a common part is subtracted first.
        """
        high, low = np.nanmax(scores, initial=-np.inf), np.nanmin(scores, initial=np.inf)
        return np.fmax(np.abs(high), np.abs(low)), np.asarray(high / 2 - low / 2)

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """What a user can read of the part besides the fields of the result."""
        return {}

    @property
    def shown(self) -> Mapping[str, str]:
        """The quantities by the table and the column that show them, unless it has their name."""
        return {}

    def by_statsmodels(self) -> Mapping[str, Judged]:
        """Return the numbers of statsmodels and SciPy by quantity, from the scores of Python.

        A column that is no quantity of R has the name of its table before its own.
        """
        return {}

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
    """The numbers of R, and the message of the test if it stops on every sample, else ""."""

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
