"""``cdfscore apply``: standardize scores of new systems by saved or published factors."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.cli.factors import SdsOption, TrackOption, factors_in_file, has_factors
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    ConstantOption,
    MissingOption,
    OutOption,
    ScoresArgument,
    with_groups,
    with_plain_labels,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.terminal import show_scores, written
from cdfscore.errors import FactorsError

if TYPE_CHECKING:
    from cdfscore.standardization.policies import ConstantPolicy, MissingPolicy
    from cdfscore.standardization.standardized import ExtraTopics

_AS_SAVED = "as in FACTORS"


@with_plain_labels
@with_groups
def apply(
    factors: Annotated[
        str,
        typer.Argument(
            metavar="FACTORS",
            help="File of factors: JSON that 'standardize --save-factors' writes, a trec_eval -Z "
            "file, or Webber and Moffat's means, as CSV (with --sds) or tar.gz.",
        ),
    ],
    scores: ScoresArgument,
    out: OutOption = None,
    sds: SdsOption = None,
    track: TrackOption = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="SCHEME",
            help="Scheme for published means and standard deviations. Default: normal for Webber "
            "and Moffat's format, z for the format of trec_eval.",
        ),
    ] = None,
    constant: ConstantOption = _AS_SAVED,
    missing: MissingOption = _AS_SAVED,
    extra_topics: Annotated[
        str,
        typer.Option(
            metavar="POLICY",
            help="What to do with topics that have no factors: refuse (an error) or drop.",
        ),
    ] = "refuse",
    *,
    form: Form,
) -> None:
    """Standardize scores of new systems by saved factors.

    The factors may be published ones. --measure is needed if FACTORS or SCORES has several
    measures. It must be the measure of the factors.

    Example: cdfscore apply factors.json scores.csv -o standardized.csv
    """
    from cdfscore.cli.standardize import say_what_was_done, size_of
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.scores.writing import ENDINGS, encode_scores
    from cdfscore.schemes.base import parse_scheme
    from cdfscore.standardization.standardized import check_extra

    out = written(out)
    given = Inputs.of(scores)
    check_paths({"FACTORS": factors, **given.paths, "--sds": sds}, {"--out": out})
    check_outputs({"--out": (out, ENDINGS)})
    check_extra(extra_topics)
    if scheme is not None:
        parse_scheme(scheme)  # a mistake here is reported before a file is read
    try:
        loaded = factors_in_file(factors, form, sds=sds, track=track, scheme=scheme)
    except FactorsError as error:
        second = given.files[0][1]
        if len(given.files) == 1 and has_factors(second) and not has_factors(factors):
            raise FactorsError(
                f"{second} has factors, and {factors} has none; expected FACTORS first, then SCORES"
            ) from error
        raise
    with concerning(factors):
        loaded = dataclasses.replace(
            loaded,
            constant=loaded.constant if constant == _AS_SAVED else cast("ConstantPolicy", constant),
            missing=loaded.missing if missing == _AS_SAVED else cast("MissingPolicy", missing),
        )
    matrix = form.read(given, measure_is_used=loaded.measure is not None)
    with concerning(given.name):
        found = loaded.standardize(matrix, extra_topics=cast("ExtraTopics", extra_topics))
    if out is None:
        show_scores({"": found.scores})
    else:
        write_whole({Path(out): encode_scores(found.scores, Path(out))})
    say_what_was_done(found, size_of(found.scores))
