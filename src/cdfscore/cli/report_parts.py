"""Parts of a report beside the tests, also in R; each part may be impossible for some scores."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import typer

from cdfscore.cli.factors import raw_as
from cdfscore.cli.files_for_r import file_for_r, files_for_rscript
from cdfscore.cli.fitted_to import FittedTo
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import Direction, Policies
from cdfscore.cli.running import cores
from cdfscore.errors import (
    CdfscoreError,
    RNotAvailableError,
    SchemeError,
    ScoresError,
    VerificationError,
)
from cdfscore.io.files import source_name
from cdfscore.io.text import printable
from cdfscore.report.page.page import OTHER, SCORES, Input, RParity
from cdfscore.spelling import argument
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.standardizer import How, Standardizer, name_of

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.comparison.two_collections import TwoCollections
    from cdfscore.diagnosis import Diagnosis
    from cdfscore.r.verify import Verification
    from cdfscore.significance.contract import ChosenTest
    from cdfscore.standardization.factors import ExtraTopics
    from cdfscore.standardization.policies.missing import MissingPolicy
    from cdfscore.standardization.standardized import Standardized

#: The schemes of the sensitivity and of the diagnosis if at most one scheme is given: those that
#: the literature compares.
USUAL = ("raw", "normal", "uniform", "empirical")
_SEED = 1
_NAME = "analysis.R"


@dataclass(frozen=True)
class Parts:
    """The scores of a report, and the options that they were read with."""

    given: Inputs
    fitted_to: FittedTo
    form: Form
    policies: Policies
    direction: Direction
    matrix: pd.DataFrame
    reference: pd.DataFrame | None
    extra: ExtraTopics

    @property
    def fitted_on(self) -> pd.DataFrame:
        """The scores that schemes are fitted to."""
        return self.matrix if self.reference is None else self.reference

    @property
    def files(self) -> list[tuple[str, Inputs, pd.DataFrame]]:
        """The matrices that were read: what each is, its files, and its scores."""
        found = [(SCORES, self.given, self.matrix)]
        if self.reference is not None and self.fitted_to.reference is not None:
            own = Inputs.one(self.fitted_to.reference)
            found.append(("reference scores", own, self.reference))
        return found


def check_seed(bootstrap: int, seed: int | None, alpha: float) -> None:
    """Raise `SchemeError` for resamples or a seed out of range, or a seed without resamples."""
    from cdfscore.diagnosis.settings import Settings

    if seed is not None and bootstrap == 0:
        raise SchemeError(
            f"{argument('seed', seed)} is for the resamples of the diagnosis, and there are none; "
            f"expected {argument('bootstrap', 999)} with it; the seed of a test is one of its "
            "settings"
        )
    Settings.of(alpha=alpha, bootstrap=bootstrap, most=None, seed=_SEED if seed is None else seed)


def command_line() -> str:
    """Return the command of the user, quoted for a shell."""
    return shlex.join(["cdfscore", *sys.argv[1:]])


def check_compare(compare: str | None, fitted_to: FittedTo) -> None:
    """Raise an error for a second collection without factors or reference scores."""
    if compare is not None and not fitted_to.factors and fitted_to.reference is None:
        raise typer.BadParameter(
            f"--compare {compare} needs --factors FILE or --reference FILE, since only the same "
            "factors put two collections on one scale"
        )


def check_names(systems: Sequence[object], file: str) -> None:
    """Raise `ScoresError` for two systems that look the same on a page, as by a line break."""
    seen: dict[str, str] = {}
    for name in map(str, systems):
        other = seen.setdefault(printable(name), name)
        if other != name:
            raise ScoresError(
                f"{file}: the systems {other!r} and {name!r} look the same on a page, "
                f"{printable(name)}; expected names that differ in what can be printed"
            )


def beside_of(
    parts: Parts, how: How, found: Standardized, other: pd.DataFrame | None, path: str | None
) -> TwoCollections | None:
    """Return the systems of both collections, if there is another; raises as `standardize`."""
    if other is None or path is None:
        return None
    from cdfscore.cli.paths import concerning
    from cdfscore.comparison.two_collections import two_collections
    from cdfscore.standardization.standardizer import standardize

    with concerning(path, reference=parts.fitted_to.reference):
        return two_collections(found, standardize(other, how, parts.reference, parts.extra))


def inputs_of(parts: Parts, compare: str | None, digests: dict[str, str]) -> list[Input]:
    """Return the files that were read, each with the digest of the bytes that were read."""
    read = [(what, path) for what, own, _ in parts.files for _, path in own.files]
    read += [("factors", path) for path in parts.fitted_to.factors or ()]
    if parts.fitted_to.sds is not None:
        read.append(("standard deviations of the factors", parts.fitted_to.sds))
    if compare is not None:
        read.append((OTHER, compare))
    return [Input(what, source_name(path), digests[path]) for what, path in read]


def sensitivity_of(
    parts: Parts,
    ways: Sequence[How],
    chosen: ChosenTest,
    adjust: str,
    alpha: float,
) -> tuple[Sensitivity | None, list[str]]:
    """Return the sensitivity to the scheme, or a note with the reason why there is none."""
    from cdfscore.comparison.sensitivity import sensitivity

    try:
        changes = sensitivity(
            parts.matrix,
            _ways_beside(parts, ways),
            test=chosen,
            adjust=adjust,
            alpha=alpha,
            reference=parts.reference,
            extra_topics=parts.extra,
        )
    except CdfscoreError as error:  # the tests do not need it
        return None, [f"conclusions by other schemes are not compared: {error}"]
    return changes, []


def _ways_beside(parts: Parts, ways: Sequence[How]) -> list[How]:
    """Return the schemes whose conclusions are compared, raw first."""
    first = ways[0]
    if isinstance(first, Factors):
        return [raw_as(first, parts.matrix), first]
    # The other schemes leave out topics that they cannot be fitted to, with a note.
    easy = replace(parts.policies, unfitted="drop_topic")
    names = [name_of(way) for way in ways]
    usual = USUAL if len(ways) == 1 else USUAL[:1]
    others: list[How] = [easy.standardizer(each, parts.direction) for each in usual]
    extra = [way for way in others if name_of(way) not in names]
    return sorted([*ways, *extra], key=lambda way: name_of(way) != "raw")


def diagnosis_of(
    parts: Parts,
    how: How,
    bootstrap: int,
    seed: int | None,
    alpha: float,
    progress: Callable[[int, int], None],
) -> tuple[Diagnosis | None, str, list[str]]:
    """Return the diagnosis, the name of its scores, and a note if there is no diagnosis."""
    from cdfscore import diagnosis

    common: dict[str, Any] = {
        "alpha": alpha,
        "bootstrap": bootstrap,
        "seed": _SEED if seed is None else seed,
        "jobs": cores(None, None),
        "progress": progress,
    }
    try:
        if isinstance(how, Factors):
            found = diagnosis.diagnose_factors(
                parts.matrix, how, extra_topics=parts.extra, **common
            )
            return found, "these scores", []
        found = diagnosis.diagnose(
            parts.fitted_on,
            _distributions(how),
            missing=cast("MissingPolicy", parts.policies.missing),
            lower_is_better=parts.direction.lower_is_better,
            reflect_at=parts.direction.reflect_at,
            **common,
        )
    except CdfscoreError as error:  # the tests do not need it
        return None, "", [f"distributions are not diagnosed: {error}"]
    of = "these scores" if parts.reference is None else "the reference scores"
    return found, of, []


def _distributions(how: How) -> list[Any]:
    """Return the usual distributions, after that of the report if it is another one."""
    from cdfscore.schemes.registry import parse_scheme

    usual = [parse_scheme(name) for name in USUAL[1:]]
    own = how.scheme if isinstance(how, Standardizer) else parse_scheme(name_of(how))
    return [*([own] if own.is_cdf and own not in usual else []), *usual]


def parity_of(parts: Parts, how: How, comparison: Comparison, *, run: bool) -> RParity:
    """Return the comparison with R and the script, or the reasons why there are none."""
    from cdfscore.r.verify import Verification

    try:
        reference = parts.reference if isinstance(how, Factors) else None
        found = Verification.of(comparison, reference)
    except CdfscoreError as error:  # such as factors without the scores that they are of
        return RParity(reasons=[f"not compared with R: {error}"])
    script, run_by, reasons = _script(parts, found)
    table, stopped = None, ""
    if run:
        try:
            with files_for_rscript(parts.form, [each[1:] for each in parts.files]) as files:
                table = found.through_rscript(files)
        except RNotAvailableError as error:
            reasons.append(f"not compared with R: {error}")
        except VerificationError as error:
            stopped = str(error)
    else:
        reasons.append("not compared with R, because of --no-r")
    return RParity(table, script, reasons, stopped, run_by)


def _script(parts: Parts, found: Verification) -> tuple[bytes | None, str, list[str]]:
    """Return the script for the input files and its command, or the reason why there is none."""
    if found.draws.size:
        return (
            None,
            "",
            [
                f"there is no R script: it needs {found.draws.size:,} bytes of random draws beside "
                "it; 'cdfscore verify --script' writes both"
            ],
        )
    from cdfscore.r.script import RSCRIPT

    several = len(parts.files) > 1
    try:
        files = [
            file_for_r(parts.form, own, frame, one_of_several=several)
            for _, own, frame in parts.files
        ]
    except ScoresError as error:
        return None, "", [f"there is no R script: {error}"]
    run_by = shlex.join([*RSCRIPT, _NAME, *(str(file.path) for file in files)])
    return found.script(files, _NAME), run_by, []
