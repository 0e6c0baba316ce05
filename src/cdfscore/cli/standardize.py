"""``cdfscore standardize`` by a fitted scheme, and ``cdfscore apply`` by factors of a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.cli.given import (
    Direction,
    Form,
    Inputs,
    Policies,
    check_reference,
    extra_topics_of,
    factors_in_file,
)
from cdfscore.cli.options import Read, RequiredFile, Written, WrittenScores
from cdfscore.cli.paths import check_outputs, check_paths, concerning, write_outputs
from cdfscore.cli.terminal import say, show_scores, shown_progress
from cdfscore.common.files import source_name
from cdfscore.common.text import counted
from cdfscore.standardization.policies import ConstantPolicy, MissingPolicy

if TYPE_CHECKING:
    from cdfscore.standardization.leave_one_out import LeftOut
    from cdfscore.standardization.standardized import ExtraTopics, Standardized
    from cdfscore.standardization.standardizer import Standardizer
    from cdfscore.standardization.streaming import Streamed

_OF_FACTORS = Written("cdfscore.standardization.formats:ENDINGS")
_AS_SAVED = "as in FACTORS"


def standardize(
    given: Inputs,
    *,
    scheme: str,
    reference: Read = None,
    extra_topics: str = "refuse",
    out: WrittenScores = None,
    save_factors: Annotated[str | None, _OF_FACTORS] = None,
    leave_one_out: bool = False,
    stream: bool = False,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Standardize scores by a scheme fitted to each topic.

    --save-factors also saves the name of the measure, from --measure or from the files. With
    --stream, the file may be larger than the memory.

    Examples:
    cdfscore standardize scores.csv --scheme empirical -o standardized.csv
    cdfscore standardize ap.csv --scheme normal --save-factors f.json -o z.csv
    cdfscore standardize large.parquet --scheme z --stream -o scores.parquet

    Parameters
    ----------
    scheme : SCHEME
        Scheme: NAME or NAME:KEY=VALUE,... 'cdfscore schemes' lists the schemes.
    out : OUT
        Output file for the standardized scores: .csv, .tsv or .parquet.
    save_factors : FILE
        Save the fitted factors to this JSON file, for 'apply'.
    stream
        Read and write block by block, so that memory for a few blocks is enough for a file of any
        size. Input and output are Parquet files of the same form, with a column for each system or
        a row for each score. The numbers do not change.

    Standardization
    ---------------
    leave_one_out
        Leave-one-out standardization: the scheme for each system is fitted to the other systems.
    """
    from cdfscore.standardization.formats import encode_factors
    from cdfscore.standardization.leave_one_out import left_out
    from cdfscore.standardization.standardizer import standardize as standardized

    whole: dict[str, object] = {"--reference": reference, "--save-factors": save_factors}
    _check_alone("--leave-one-out", whole if leave_one_out else {})
    whole |= {"--extra-topics": extra_topics != "refuse", "--leave-one-out": leave_one_out}
    _check_alone("--stream", whole if stream else {})
    if stream:
        done = _streamed(given, out or "-", form, policies.standardizer(scheme, direction))
        _say(done, done.size)
        return
    extra = extra_topics_of(extra_topics, reference=reference)
    how = policies.standardizer(scheme, direction)
    if save_factors is None:  # those of raw scores have the topics and systems of the reference
        check_reference(reference, [scheme])
    matrix, fitted_on = form.read_all(given, reference)
    if leave_one_out:
        with concerning(*given.paths.values()):
            left = left_out(matrix, how)
        _give(left, out)
        return
    with concerning(*given.paths.values(), reference=reference):
        found = standardized(matrix, how, fitted_on, extra)
    measure = form.measure or found.factors.measure
    factors = dataclasses.replace(found.factors, measure=measure)
    _give(found, out, (save_factors, lambda _: encode_factors(factors)))


def apply(
    factors: RequiredFile,
    given: Inputs,
    *,
    out: WrittenScores = None,
    sds: Read = None,
    track: str | None = None,
    scheme: str | None = None,
    constant: Annotated[str, ConstantPolicy] = _AS_SAVED,
    missing: Annotated[str, MissingPolicy] = _AS_SAVED,
    extra_topics: str = "refuse",
    form: Form,
) -> None:
    """Standardize scores of new systems by saved factors.

    The factors may be published ones. --measure is needed if FACTORS or SCORES has several
    measures. It must be the measure of the factors.

    Examples:
    cdfscore apply factors.json scores.csv -o standardized.csv
    cdfscore apply factors.json bm25.eval --extra-topics drop
    cdfscore apply means.csv scores.csv --sds sds.csv --scheme normal

    Parameters
    ----------
    factors : FACTORS
        File of factors: JSON that 'standardize --save-factors' writes, a trec_eval -Z file, or
        Webber and Moffat's means, as CSV (with --sds) or tar.gz.
    out : OUT
        Output file for the standardized scores: .csv, .tsv or .parquet.
    scheme : SCHEME
        Scheme for published means and standard deviations. Default: normal for Webber and Moffat's
        format, z for the format of trec_eval.
    extra_topics : POLICY
        What to do with topics that have no factors: refuse (an error) or drop.
    """
    from cdfscore.standardization.standardized import check_extra
    from cdfscore.stats.schemes.base import parse_scheme

    check_extra(extra_topics)
    if scheme is not None:
        parse_scheme(scheme)  # a mistake here is reported before a file is read
    loaded = factors_in_file(factors, form, sds=sds, track=track, scheme=scheme)
    with concerning(factors):
        loaded = dataclasses.replace(
            loaded,
            constant=loaded.constant if constant == _AS_SAVED else cast("ConstantPolicy", constant),
            missing=loaded.missing if missing == _AS_SAVED else cast("MissingPolicy", missing),
        )
    matrix = form.read(given)
    with concerning(*given.paths.values()):
        found = loaded.standardize(matrix, extra_topics=cast("ExtraTopics", extra_topics))
    _give(found, out)


def _check_alone(option: str, others: Mapping[str, object]) -> None:
    for name, value in others.items():
        if value:
            raise typer.BadParameter(f"{option} and {name} exclude each other")


def _give(
    found: Standardized | LeftOut,
    out: str | None,
    *others: tuple[str | None, Callable[[Path], bytes]],
) -> None:
    from cdfscore.scores.writing import encode_scores

    write_outputs((out, partial(encode_scores, found.scores)), *others)
    if out is None:
        show_scores({"": found.scores})
    topics, systems = found.scores.shape
    size = f"{counted(topics, 'topic')} x {counted(systems, 'system')}"
    _say(found, size)


def _streamed(given: Inputs, out: str, form: Form, how: Standardizer) -> Streamed:
    from cdfscore.errors import CdfscoreError, OutputError, ScoresError
    from cdfscore.standardization.streaming import standardize_parquet

    names = ("topic_column", "system_column", "score_column", "systems_as_rows")
    own = (*names, "no_topic_column", "keep_topic", "keep_system")
    used = Form(**{name: getattr(form, name) for name in own})
    for word in form.typed:
        if word.startswith("--") and word not in used.typed:
            raise typer.BadParameter(
                f"--stream and {word} exclude each other; expected {word} without --stream, which "
                "reads the file into memory"
            )
    settings = {name: used.settings[name] for name in (*names, "keep_topics", "keep_systems")}
    ((name, path), *others) = given.files
    if others or name is not None or not path.lower().endswith(".parquet"):
        raise ScoresError(
            f"--stream reads one .parquet file, but SCORES is {given.name}; expected such a file"
        )
    check_paths(given.paths, {"--out": out})
    check_outputs({"--out": (out, [".parquet"])})
    with shown_progress("nothing is written") as begin:
        progress = begin("topics standardized and written")
        try:
            return standardize_parquet(path, out, how, **settings, progress=progress)
        except OutputError:  # of the other file, which it names
            raise
        except CdfscoreError as error:
            if str(error).startswith(source_name(Path(path))):  # an error of reading
                raise
            with concerning(path):
                raise


def _say(found: Standardized | LeftOut | Streamed, size: str) -> None:
    from cdfscore.standardization.cautions import censored_notes

    say(f"{size} {found.how}", *found.notes, *censored_notes(found.censored))
