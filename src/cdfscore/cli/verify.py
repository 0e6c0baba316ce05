"""``cdfscore verify``: the same analysis in R, and its differences from Python."""

from __future__ import annotations

import itertools
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdfscore.cli.given import (
    Direction,
    Form,
    Inputs,
    Policies,
    check_reference,
    extra_topics_of,
    factors_of,
    tested_by,
)
from cdfscore.cli.merge import Merging
from cdfscore.cli.options import (
    OUT,
    Command,
    Read,
    Written,
    is_typed,
    needing,
    typed_names,
    with_groups,
)
from cdfscore.cli.paths import check_paths, concerning
from cdfscore.cli.terminal import busy, say, show, show_table
from cdfscore.common.text import counted, listed, printable, units, written
from cdfscore.errors import CdfscoreError, ModelError, OutputError, SchemeError, ScoresError
from cdfscore.report.writing import Captioned, Column, columns_of
from cdfscore.scores.tables import DELIMITERS, encode_frame

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.diagnosis.diagnosis import Diagnosis
    from cdfscore.r.script import TextFile
    from cdfscore.r.verify import Verification
    from cdfscore.standardization.standardized import ExtraTopics, Standardized
    from cdfscore.standardization.standardizer import How

#: Endings of R scripts; standard output, "-", has none.
_SCRIPTS = (".R", "")
#: How many differences of a published table are shown.
_SHOWN = 20


def verify(
    given: Inputs,
    *,
    scheme: str | None = None,
    test: str | None = None,
    baseline: list[str] | None = None,
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float | None = None,
    formula: str | None = None,
    components: Read = None,
    sums_of_squares: str | None = None,
    random: list[str] | None = None,
    method: str | None = None,
    goal: str | None = None,
    reference_uncertainty: int = 0,
    seed: int | None = None,
    reference: Read = None,
    factors: Read = None,
    extra_topics: str = "refuse",
    merge: str | None = None,
    correlate: Read = None,
    diagnose: bool = False,
    published: Read = None,
    out: Annotated[str | None, Written(DELIMITERS), OUT] = None,
    script: Annotated[str | None, Written(_SCRIPTS)] = None,
    via: str | None = None,
    against: str | None = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Compute every number again in R, or by statsmodels.

    Standardized scores and system means are always compared. Further analyses are a test (--test),
    a linear or a mixed model (--formula), a number of topics (--goal), a correlation and a
    diagnosis. With --merge, ranked lists are merged instead.

    Exit status: 0 if all numbers agree within the tolerance, 1 if one does not, 2 for bad input,
    3 if R cannot be started.

    Examples:
    cdfscore verify scores.csv --scheme normal --test paired_t
    cdfscore verify scores.csv --scheme empirical --script check.R
    cdfscore verify scores.csv --test paired_t --scheme z --published pairs.csv

    Parameters
    ----------
    scheme : SCHEME
        Scheme, or raw for the scores as they are. It is NAME or NAME:KEY=VALUE,...; 'cdfscore
        schemes' lists the schemes.
    test : TEST
        Also test the scores, as 'compare' does. 'cdfscore tests' lists the tests.
    alpha : LEVEL
        Significance level of --test. Default: 0.05. If R cannot test all pairs in about a
        minute, it tests the pairs whose p value is near this level, and a sample of the others.
    formula : FORMULA
        Also fit this linear model, as 'model' does. It is fitted to the standardized scores, or to
        raw scores if no scheme is given. The table without the intervals of effect sizes, the
        marginal means and their differences are compared.
    components : FILE
        File of components of systems, as for 'model'.
    sums_of_squares : I|II|III
        Type of the sums of squares. Default: III.
    random : TERM
        Random term: topic, or an interaction such as topic:stemmer. The model of --formula is
        then a mixed model, as for 'mixed-model'. Variances, coefficients, tests, marginal means
        and differences must agree to 1e-7 of each number. May be repeated.
    method : REML|ML
        Method of the mixed model. Default: REML.
    goal : GOAL
        Also find how many topics this goal needs. This is as 'plan' does, with SCORES as the pilot.
    reference_uncertainty : B
        Also resample the reference systems B times. As 'compare' does, this shows how much they
        contribute to the uncertainty of means and of the differences of --test. R fits the scheme
        again to each of them, in about two minutes or less.
    seed : N
        Seed of the resamples. Default: 0.
    factors : FILE
        Verify these factors, in place of --scheme. R fits the scheme again to the scores that the
        factors were fitted to: --reference, or SCORES.
    merge : OPTIONS
        Merge runs, as 'merge' does with these options. SCORES are the runs, and options are such as
        '--normalize z --depth 100'. The scores of resource selection, the weights, the merged
        scores and the ranks are compared.
    correlate : FILE
        Also correlate the means with those of this file. This is as 'correlate' does. Each file is
        standardized by itself.
    diagnose
        Also compare what 'diagnose' says of each topic. These are distances, likelihood, AIC, BIC,
        log score and CRPS, for as many topics as R can diagnose in about a minute.
    published : TABLE
        Compare this published table with R. It is a table of the analysis, which is compared at the
        precision of its digits: CSV or TSV, or .json, .md or .tex of 'compare'. A .json file also
        states the test or the model; options that differ from it are refused. With --script, the
        script compares such tables.
    out : OUT
        Write the result to this .csv or .tsv file too. These are the differences from --published
        TABLE, or else the row of each quantity. Use - for standard output.
    script : FILE.R
        Write the analysis as a stand-alone R script. It reads SCORES (CSV or TSV). The numbers are
        compared only if --via is given too. Random draws of a test or of reference systems go to
        FILE.draws beside the script. An existing file is replaced only if it has the draws of an
        earlier FILE.R.
    via : WAY
        How to run R: rpy2, in this process, or rscript. The latter runs the stand-alone script.
        Default: rpy2 if it works, or else rscript.
    against : r|statsmodels
        Who computes the numbers again. It is R, or statsmodels with SciPy and NumPy. Default: R, or
        statsmodels if R is not installed.
    """
    from cdfscore.common.files import write_whole
    from cdfscore.r.published import read_published
    from cdfscore.r.verify import Verification, way_of
    from cdfscore.standardization.standardizer import standardize

    if script is not None and against == "statsmodels":
        raise typer.BadParameter(
            "--script writes R code, and --against statsmodels is given; expected one of them"
        )
    if merge is not None:
        from cdfscore.retrieval.merging.in_r import verify_merge
        from cdfscore.retrieval.runs import RunFile

        if others := typed_names() - {"scores", "merge"}:
            raise CdfscoreError(
                f"--{min(others).replace('_', '-')} is not accepted with --merge; expected only "
                "options of 'merge', in the value of --merge"
            )
        merging = parsed_merging(merge)
        check_paths({**given.paths, **merging.paths}, {})
        runs = [RunFile(path, name) for name, path in given.files]
        merged = verify_merge(runs, merging.method, **merging.settings, **merging.weighted_by())
        say(*merged.attrs["notes"])
        _show(merged, ())
        return
    of_published = published is not None
    way, way_said = way_of(against, via, of_table=of_published, runs=script is None)
    if out is not None and script is not None and via is None:
        raise typer.BadParameter(
            f"-o {out} needs a comparison, and --script compares nothing without --via; expected "
            "--via rpy2 or --via rscript too, or no -o"
        )
    asked: dict[str, Any] = {
        "test": test,
        "baselines": baseline or None,
        "adjust": adjust,
        "effect": effect,
        "alpha": alpha,
        "formula": formula,
        "sums_of_squares": sums_of_squares,
        "random": random or None,
        "method": method,
        "goal": goal,
        "correlate": correlate,
        "diagnose": diagnose or None,
    }
    of_table = None
    if published is not None:
        of_table = read_published(published)
        if factors is None:
            scheme = of_table.scheme(scheme)
        asked = of_table.filled(asked)
        for name, policy in of_table.policies.items():
            own = getattr(policies, name) if is_typed(name) else None
            stated: dict[str, Any] = {name: of_table.stated(name, own) or policy}
            policies = replace(policies, **stated)
    how: How
    if factors is not None:
        how = factors_of(factors, form, policies, refitted=True)
    elif any(each is not None for each in (scheme, asked["formula"], goal, correlate)):
        how = policies.standardizer(scheme or "raw", direction)
        check_reference(reference, [scheme or "raw"])
    else:
        raise SchemeError(
            "no scheme is given; expected --scheme SCHEME, where --scheme raw takes the scores as "
            "they are, or --factors FILE, --formula FORMULA, --goal GOAL, --correlate FILE or "
            "--merge OPTIONS"
        )
    asked |= {"components": components, "reference_uncertainty": reference_uncertainty or None}
    asked |= {"seed": seed, "replicate": form.replicate or None}
    has_replicates = bool(form.replicate) and asked["formula"] is not None
    extra = extra_topics_of(extra_topics, reference=reference, factors=factors)
    result_of = _analysis({n: own for n, own in asked.items() if own is not None}, how, extra)
    if has_replicates and script is not None:
        raise typer.BadParameter(
            "--script and --replicate exclude each other: the R script reads a file with a column "
            "or a row for each system; expected --via rscript, which writes a script and its input "
            "while R runs"
        )
    if correlate is not None and (factors is not None or reference is not None):
        raise SchemeError(
            f"--{'reference' if factors is None else 'factors'} and --correlate exclude each "
            "other, as each of the two files is standardized by itself; expected one of them"
        )
    replicates, second, path = None, None, reference if correlate is None else correlate
    if has_replicates:
        replicates = form.read_replicates(given, reference)
        matrix = replicates.scores
    else:
        matrix, second = form.read_all(given, path)
    inputs = [(given, matrix)]
    if second is not None:
        inputs.append((Inputs.one(str(path)), second))
    refitted = second if factors is not None else None
    fitted_on = second if factors is None and correlate is None else None
    with concerning(*given.paths.values(), reference=reference):
        found = standardize(matrix, how, fitted_on, extra)
        verification = Verification.of(result_of(found, second, replicates), refitted)
    if script is not None:
        several = len(inputs) > 1
        files = [file_for_r(form, *own, one_of_several=several) for own in inputs]
        paths = [str(file.path) for file in files]
        _write_script(verification, files, script, paths, published)
        if via is None:
            say(*verification.notes)
            return
    if way_said:
        say(way_said)
    with busy(f"{'statsmodels' if way == 'statsmodels' else 'R'} computes the numbers again"):
        if way == "statsmodels":
            compared = verification.by_statsmodels()
        elif way == "rscript":
            with files_for_rscript(form, inputs) as files:
                compared = verification.through_rscript(files, of_table)
        else:
            compared = verification.through_rpy2(of_table)
    say(*compared.attrs["notes"])
    if out is not None:
        wanted = compared if of_table is None else compared.attrs["published"]
        write_whole({Path(out): encode_frame(wanted, DELIMITERS[Path(out).suffix.lower()])})
    _show(compared, verification.unfitted)


#: Of the options of one analysis, those that need another one.
_NEEDS = {
    "test": ("baselines", "adjust", "effect", "alpha", "reference_uncertainty", "seed"),
    "formula": ("components", "sums_of_squares", "random", "method"),
    "random": ("method",),
}
#: The options for separate analyses.
_KINDS = ("test", "formula", "goal", "correlate", "diagnose")
_Result = Callable[[Any, Any, Any], object]


def _analysis(asked: Mapping[str, Any], how: How, extra: ExtraTopics) -> _Result:
    needing(asked, _NEEDS)
    kinds = [f"{name}=..." for name in _KINDS if name in asked]
    if len(kinds) > 1:
        raise ModelError(
            f"{listed(kinds)} are given, and each is a separate analysis of the scores; expected "
            "one of them"
        )
    formula, random, squares = (asked.get(n) for n in ("formula", "random", "sums_of_squares"))
    if formula is not None and random is None and "replicate" in asked:
        raise ModelError(
            "several scores of a system on a topic need a mixed model; expected random=... too, "
            "such as topic"
        )
    if random is not None and squares is not None:
        raise ModelError(
            f"sums_of_squares={squares!r} is for a model without random terms, and random=... is "
            "given; expected one of them"
        )
    # Imported here because models load SciPy, and no other verification needs them.
    if "test" in asked:
        from cdfscore.comparison.comparison import Tested
        from cdfscore.comparison.reference_uncertainty import resampling_of

        baselines, adjust, effect = map(asked.get, ("baselines", "adjust", "effect"))
        tested = tested_by(asked["test"], baselines, adjust, effect, asked.get("alpha", 0.05))
        resampling = resampling_of(
            tested[0], asked.get("reference_uncertainty", 0), asked.get("seed")
        )
        return lambda found, *_: Tested.of(found, *tested, resampling)
    if formula is not None:
        from cdfscore.models.anova import anova_of, check_type
        from cdfscore.models.formula import read_components
        from cdfscore.models.mixed import check_method, mixed_model

        table = read_components(asked["components"]) if "components" in asked else None
        if random is None:
            kind = check_type(squares or "III")
            return lambda found, *_: anova_of([found], formula, table, kind, 0.05)
        method = check_method(asked.get("method", "REML"))
        return lambda found, second, replicates: mixed_model(
            found.given.frame if replicates is None else replicates,
            formula,
            table,
            random=random,
            method=method,
            schemes=[how],
            reference=None if found.reference is None else second,
            extra_topics=extra,
        )
    if "goal" in asked:
        from cdfscore.models.goals import parse_goal, plan

        goal = parse_goal(asked["goal"])
        return lambda found, second, _: plan(
            found.given.frame,
            goal,
            scheme=how,
            reference=None if found.reference is None else second,
            extra_topics=extra,
        )
    if "correlate" in asked:
        from cdfscore.comparison.correlation import correlate

        return lambda found, second, _: correlate(found.given.frame, second, scheme=how)
    if "diagnose" not in asked:
        return lambda found, *_: found

    def diagnosed(found: Standardized, *_: object) -> Diagnosis:
        from cdfscore.diagnosis.diagnosis import diagnose

        factors = found.factors
        if found.fitted_to != "these scores":
            raise SchemeError(
                "a diagnosis is of the scores that the scheme is fitted to; expected no reference "
                "and no factors of others"
            )
        done = diagnose(
            found.given.frame,
            [factors.fitted.scheme],
            bootstrap=0,
            missing=factors.missing,
            lower_is_better=factors.lower_is_better,
            reflect_at=factors.reflect_at,
        )
        return replace(done, standardized=lambda: found)

    return diagnosed


def _write_script(
    verification: Verification,
    files: list[TextFile],
    script: str,
    paths: list[str],
    table: str | None,
) -> None:
    from cdfscore.common.files import write_whole
    from cdfscore.r.published import is_delimited
    from cdfscore.r.script import RSCRIPT, draws_name

    name = "script.R" if script == "-" else Path(script).name
    is_for_r = table is None or is_delimited(table)
    if table is not None and not is_for_r:
        table = Path(table).with_suffix(".csv").name
    contents: dict[Path, bytes | Iterable[bytes]] = {
        Path(script): verification.script(files, name, table)
    }
    usage = [*RSCRIPT, name if script == "-" else script, *paths]
    draws = verification.draws
    if draws.size:
        if script == "-":
            raise OutputError(
                f"--script - is not accepted: the random draws of {draws.of} go to a file beside "
                "the script; expected the name of a file"
            )
        beside = draws_name(script)
        check_paths(
            dict(zip(("SCORES", "--reference"), paths, strict=False)),
            {"the file of draws beside --script": beside},
        )
        if Path(beside).is_file() and not _belongs(Path(beside), Path(script)):
            raise OutputError(  # its name was not given, so that it may be any file
                f"{beside} exists, and does not belong to an earlier {script}, so that it may be "
                f"another file; expected another name of the script, or no file {beside}"
            )
        contents[Path(beside)] = draws.content()
        usage.append(beside)
    left = not draws.size and _belongs(Path(draws_name(script)), Path(script))
    write_whole(contents)
    if left:
        say(
            f"{draws_name(script)} has the draws of an earlier {script}; the new script does not "
            "need it"
        )
    if draws.size:
        say(f"{beside} has the random draws of {draws.of}, {draws.size:,} bytes")
    if table is not None:
        usage.append(table)
    if not is_for_r:
        say(f"the script reads a table as CSV or TSV, here {table}, which you write")
    say(f"run the script as: {shlex.join(usage)}", wrapped=False)


def _belongs(draws: Path, script: Path) -> bool:
    from cdfscore.r.script import has_draws

    there = draws.is_file() and script.is_file()
    return there and has_draws(script.read_bytes(), draws.read_bytes())


def _show(compared: pd.DataFrame, unfitted: tuple[str, ...]) -> None:
    from cdfscore.r.analysis import verdicts

    show_table(verification_table(compared))
    for reason, names in compared.groupby("reason", sort=False)["quantity"]:
        show(f"tolerance of {', '.join(names)}: {reason}")
    if "by" in compared:
        for by, names in compared.groupby("by", sort=False)["quantity"]:
            show(f"computed by {by}: {', '.join(names)}")
    version, apart = compared.attrs["judge"], compared.attrs.get("published", ())
    for quantity, number in compared.attrs.get("without", {}).items():
        show(f"no counterpart: {quantity}, {counted(number, 'number')}")
    if not compared["agrees"].all():
        show(*(f"differs from {version} {verdict}" for verdict in verdicts(compared)))
    counts = compared.set_index("quantity")["count"]
    for name, notes in compared.attrs.get("notes_on_tables", {}).items():
        differences = int((apart["table"] == name).sum())
        verdict = counted(differences, "difference") if differences else "agrees"
        cells = int(counts.get(f"published {name}", 0))
        show(f"{name}: {counted(cells, 'cell')} compared" + (f", {verdict}" if cells else ""))
        show(*(f"  {note}" for note in notes))
    if compared["agrees"].all():
        if unfitted and "r" in compared:
            count = f"{len(unfitted)} unfitted topics" if len(unfitted) > 1 else "unfitted topic"
            show(f"R also stops on the {count}: {printable(listed(unfitted))}")
        alpha = compared.attrs.get("alpha")
        decisions = f", in all decisions at {written(alpha)} too" if alpha else ""
        agrees = f"agrees with {version}"
        if "by" in compared:
            agrees = f"{counted(int(counts.sum()), 'number')} agree with {version}"
        without = compared.attrs.get("without", {})
        alone = f"; {counted(sum(without.values()), 'number')} without a counterpart"
        show(f"{agrees}{decisions}{alone if without else ''}")
        return
    if len(apart):
        headers = {"table": "table"} if apart[:_SHOWN]["table"].nunique() > 1 else {}
        headers |= {"row": "row", "column": "column"}
        headers |= {"published": "in the table", "anew": "computed anew"}
        columns = [Column(headers[own], False, list(apart[own][:_SHOWN])) for own in headers]
        show_table(Captioned("", "", columns))
    if len(apart) > _SHOWN:
        show(f"and {len(apart) - _SHOWN:,} more; -o FILE.csv writes all")
    raise typer.Exit(1)


def parsed_merging(options: str) -> Merging:
    """Parse options of `merge`, after checks."""
    found: list[Merging] = []

    @with_groups
    def keep(*, merging: Merging) -> None:
        merging.check()
        found.append(merging)

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command("--merge", cls=Command, add_help_option=False)(keep)
    try:
        words = shlex.split(options)
    except ValueError as error:
        raise CdfscoreError(
            f"--merge {options!r} cannot be read: {error}; expected options as of 'merge', such as "
            "'--normalize z --depth 100'"
        ) from error
    typer.main.get_command(app).main(args=words, prog_name="--merge", standalone_mode=False)
    return found[0]


def verification_table(rows: pd.DataFrame) -> Captioned:
    """Return the result of `cdfscore.verify` as a table: differences, and where the largest is."""
    of_no_system, told = set(rows.attrs["further"]), []
    judge, (one, other) = "r" if "r" in rows else "statsmodels", units.get()
    for row in rows[rows["max_ulp"].notna()].to_dict("records"):
        place = row["system"] if row["quantity"] in of_no_system else f"{one} {row['system']}"
        if row["topic"]:
            place = f"{other} {row['topic']}, {place}"
        differs = row["max_ulp"] != 0
        told.append(
            {
                "quantity": str(row["quantity"]),
                "count": str(row["count"]),
                "largest abs": f"{row['max_abs']:.3g}",
                "largest rel": f"{row['max_rel']:.3g}",
                "ulp": f"{row['max_ulp']:.4g}",
                "allowed ulp": f"{row['allowed_ulp']:.4g}",
                "Python": f"{row['python']:.17g}" if differs else "",
                {"r": "R"}.get(judge, judge): f"{row[judge]:.17g}" if differs else "",
                "at": place if differs else "",
            }
        )
    return Captioned("", "", columns_of(told, ("quantity", "at")))


# Files for R: that of the user if it is a wide text file, or else a temporary CSV file ------------


def file_for_r(
    form: Form, given: Inputs, scores: pd.DataFrame, *, one_of_several: bool
) -> TextFile:
    """Return the file of the user with its layout, read alone or with others."""
    from cdfscore.r.script import TextFile

    name, path = given.files[0]
    if len(given.files) > 1:
        told = f"{given.name} are {len(given.files)} files, and the R script reads one; expected "
        told += "one CSV or TSV file"
    elif name is not None:
        told = f"the R script cannot rename the system of {path} to {name}; expected a CSV or TSV "
        told += "file with this name"
    else:
        try:
            return TextFile(Path(path), form.text_layout(path, one_of_several=one_of_several))
        except ScoresError as error:
            told = str(error)
    raise ScoresError(f"{told}; this command writes one: {command_for_r(form, given, scores)[0]}")


def command_for_r(form: Form, given: Inputs, scores: pd.DataFrame) -> tuple[str, str]:
    """Return the command that writes the scores to a file that R reads, and the file."""
    missing = ["--missing", "omit"] if scores.isna().any(axis=None) else []
    names = itertools.chain(["scores.csv"], (f"scores-{i}.csv" for i in itertools.count(2)))
    new = next(each for each in names if not Path(each).exists())
    options = [*form.typed, *missing, "--scheme", "raw", "-o", new]
    return shlex.join(["cdfscore", "standardize", *given.typed, *options]), new


@contextmanager
def files_for_rscript(
    form: Form, inputs: Sequence[tuple[Inputs, pd.DataFrame]]
) -> Iterator[list[TextFile]]:
    """Yield the files of the user, or temporary CSV files of the scores, while R runs."""
    from cdfscore.r.script import TextFile
    from cdfscore.scores.reading import text_layout
    from cdfscore.scores.writing import write_scores

    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        files = []
        for number, (given, scores) in enumerate(inputs):
            try:
                files.append(file_for_r(form, given, scores, one_of_several=len(inputs) > 1))
            except ScoresError:
                path = Path(folder, f"{number}.csv")
                write_scores(scores, path)
                files.append(TextFile(path, text_layout(path)))
        yield files
