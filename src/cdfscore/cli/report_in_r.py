"""The numbers of a report in R, and the script that computes them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from cdfscore.cli.files_for_r import file_for_r, files_for_rscript
from cdfscore.errors import CdfscoreError, RNotAvailableError, ScoresError, VerificationError
from cdfscore.report.page.analysis import RParity

if TYPE_CHECKING:
    from cdfscore.cli.report_parts import Parts
    from cdfscore.r.verify import Verification
    from cdfscore.standardization.standardizer import How


_NAME = "analysis.R"


def parity_of(parts: Parts, how: How, asked: tuple[Any, ...], *, run: bool) -> RParity:
    """Return the comparison with R and the script, or the reasons why there are none."""
    from cdfscore.r.tested import analysis_of_test
    from cdfscore.r.verify import Verification

    try:
        found = Verification.of(
            how, parts.matrix, parts.fitted_on, analysis_of_test(*asked), parts.extra
        )
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
