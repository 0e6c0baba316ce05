"""``cdfscore experiment``: experiments on scores; ``cdfscore reproduce``: those of papers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdfscore.cli.given import Form, Inputs, check_reference, extra_topics_of
from cdfscore.cli.options import READ, Command, Group, Read, with_groups
from cdfscore.cli.paths import check_paths, concerning
from cdfscore.cli.terminal import Begin, say, shown_progress
from cdfscore.common import threads
from cdfscore.common.text import counted, units
from cdfscore.errors import CdfscoreError, OutputError
from cdfscore.standardization.policies import ConstantPolicy, MissingPolicy

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.experiments.matrices import SchemeMatrices, Ties

_GROUP: dict[str, Any] = {"cls": Group, "no_args_is_help": True, "rich_markup_mode": None}
app = typer.Typer(
    name="experiment",
    **_GROUP,
    help="Compare schemes by repeated random samples of your scores. Each trial draws topics, or "
    "topics and systems. Higher scores must be better.\n\n\b\nExamples:\n"
    "cdfscore experiment within scores.csv --scheme empirical --out out\n"
    "cdfscore experiment halves scores.csv --scheme normal --out out\n"
    "cdfscore experiment reference-size scores.csv --scheme z --out out",
)
#: The folder that caches finished trials until all files are written.
CACHE = "cached-trials"
#: The file that records the options of the run.
_RECORD = "experiment.json"


@dataclass(frozen=True)
class Run:
    """The folder of a run, and what runs its trials."""

    out: Path
    jobs: int | None = None
    resume: bool = False

    @contextmanager
    def begun(self, experiments: Collection[Any]) -> Iterator[tuple[Begin, dict[str, Any]]]:
        """Make the folder, and yield how progress is shown and how `run_trials` runs trials."""
        from cdfscore.experiments.trials import executor_for, not_resumed, remove_cached

        cache = self.out / CACHE
        jobs = threads.cores() if self.jobs is None else self.jobs
        with shown_progress() as begin, executor_for(jobs) as executor:
            make_folder(self.out)
            if self.resume:
                say(*not_resumed(experiments, cache))
            yield begin, {"executor": executor, "cache": cache, "resume": self.resume}
        for each in experiments:
            remove_cached(each, cache)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The scores and the options that all experiments have.

    Parameters
    ----------
    scores : SCORES
        File of scores: CSV, TSV or Parquet with a column for each system or a row for each score;
        output of trec_eval -q or ir_measures -q; or JSON. Use - for standard input.
    scheme : SCHEME
        SCHEME or LABEL=SCHEME. LABEL is the name of the scheme in the tables. May be repeated.
    trials : N
        Number of trials.
    seed : N
        Random seed. Trial k, counted from 0, draws as R does after set.seed(N + k).
    ties : TIES
        exact: systems with equal means of E-std are tied. rounded: rounding errors order them, as
        in R.

    Output
    ------
    figures
        Also draw a figure, as SVG and PDF.
    """

    scores: Annotated[str, typer.Argument()]
    scheme: list[str]
    trials: int = 1000
    seed: int = 0
    ties: str = "exact"
    run: Run
    figures: bool = False
    reference: str | None = None
    extra_topics: str = "refuse"
    constant: ConstantPolicy = "limit"
    missing: MissingPolicy = "raise"

    @property
    def policies(self) -> dict[str, Any]:
        """The policies of scores; those that are unknown are refused where they are used."""
        extra = extra_topics_of(self.extra_topics, reference=self.reference)
        return {
            "extra_topics": extra,
            "ties": self.ties,
            "constant": self.constant,
            "missing": self.missing,
        }

    @property
    def schemes(self) -> dict[str, str]:
        """The spelling of each scheme by its label; the default label is the spelling."""
        labelled: dict[str, str] = {}
        for text in self.scheme:
            label, equals, spelling = text.partition("=")
            if not equals or ":" in label:  # a setting, as in uniform:A=0.2
                label, spelling = text, text
            if label != label.strip() or label in ("", "alpha", "reference_systems"):
                raise CdfscoreError(
                    f"--scheme {text!r} has the label {label!r}; expected a label that is not "
                    "empty, has no spaces at its ends, and is not the column alpha or "
                    "reference_systems"
                )
            if label in labelled:
                raise CdfscoreError(
                    f"--scheme {text!r}: the label {label!r} is given twice; expected one scheme "
                    "per label, such as mine=uniform:A=0.2"
                )
            labelled[label] = spelling
        return labelled

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        return {"SCORES": self.scores, "--reference": self.reference}

    def read(self, form: Form, *others: str | None) -> list[Any]:
        """Read the scores, the reference and other files, after checks of the options."""
        if self.figures:
            from cdfscore.plots.canvas import require_matplotlib

            require_matplotlib()
        _ = self.policies  # mistakes in them are reported before a file is read
        check_reference(self.reference, [*self.schemes.values()])
        return form.read_all(Inputs.one(self.scores), self.reference, *others)

    def standardized(
        self, path: str, reference: str | None, matrix: Any, fitted_on: pd.DataFrame | None
    ) -> SchemeMatrices:
        """Standardize the scores of a file by the schemes."""
        from cdfscore.experiments import standardized

        with concerning(path, reference=reference):
            return standardized(matrix, self.schemes, reference=fitted_on, **self.policies)

    def of_samples(self, kind: Any, form: Form, size: int | None, levels: tuple[float, ...]) -> Any:
        """Return an experiment on samples of the topics."""
        matrices = self.standardized(self.scores, self.reference, *self.read(form))
        with concerning(self.scores):
            experiment = kind(matrices, size, levels, self.seed)
        say(*matrices.cautions)
        return experiment

    def carry_out(
        self,
        experiment: Any,
        options: Mapping[str, Any],
        draws: str,
        others_read: Mapping[str, str | None] | None = None,
    ) -> None:
        """Run all trials, write the files, and say what was done."""
        from cdfscore import __version__
        from cdfscore.common.catalogue import traces
        from cdfscore.common.files import write_whole
        from cdfscore.experiments import run_trials
        from cdfscore.experiments.trials import experiment_digest
        from cdfscore.plots.canvas import OF_DRAWINGS, Drawing
        from cdfscore.plots.experiments import (
            experiment_figure,
            halves_figure,
            reference_size_figure,
        )
        from cdfscore.scores.tables import encode_frame
        from cdfscore.stats.schemes.base import parse_scheme

        members = (each for name in self.schemes.values() for each in parse_scheme(name).members)
        of_others = traces(members)
        inputs = {**self.paths, **(others_read or {})}
        out, kind = self.run.out, type(experiment).__name__
        figure = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind).lower()
        check_seeds(self.seed, self.trials)
        check_folder(out, kind)
        # One trial shows which files will be written, so that they can be checked early.
        first = experiment.tables(experiment.run(range(1)))
        names = [
            *(f"{name}.csv" for name in first),
            *(f"{figure}{ending}" for ending in OF_DRAWINGS if self.figures),
            _RECORD,
        ]
        check_paths(inputs, {f"{name} of --out": str(out / name) for name in names})
        with _without_traces(out), self.run.begun([experiment]) as (begin, how):
            results = run_trials(experiment, self.trials, **how, progress=begin(kind))
            tables = experiment.tables(results)
            contents = {f"{name}.csv": encode_frame(table) for name, table in tables.items()}
            if self.figures:
                others = {"reference_size": reference_size_figure, "halves": halves_figure}
                named = [Path(p).name for key in ("SCORES", "--with") if (p := inputs.get(key))]
                draw, given = others.get(figure, experiment_figure), (tables, " and ".join(named))
                contents |= Drawing(figure, draw, given, units.get()).files()
            left_out = ("out", "jobs", "resume", "figures", "plain_labels")
            record = {
                "experiment": kind,
                "options": {
                    name: str(value) if isinstance(value, Path) else value
                    for name, value in options.items()
                    if name not in left_out
                },
                "draws": f"trial k, from 0: set.seed({experiment.seed} + k); {draws}",
                "digest": experiment_digest(experiment),
                "cdfscore": __version__,
            } | ({"other_packages": [*of_others]} if of_others else {})
            contents[_RECORD] = (json.dumps(record, indent=2) + "\n").encode()
            write_whole({out / name: content for name, content in contents.items()})
            drawn = [out / f"{figure}{ending}" for ending in OF_DRAWINGS]
            old = [path for path in drawn if path.name not in contents and path.is_file()]
            for path in old:
                path.unlink()
        say(
            f"{counted(self.trials, 'trial')}, {len(contents)} files in {out}",
            *(f"{path.name} of an earlier run is removed" for path in old),
            f"trial k, counted from 0, draws as R does after set.seed({self.seed} + k): {draws}",
            *of_others,
        )


def _experiment(command: Callable[..., None]) -> Callable[..., None]:
    return app.command(cls=Command)(with_groups(command, labels=True))


@_experiment
def within(
    context: typer.Context,
    *,
    asked: Asked,
    size: int | None = None,
    alpha: list[float] | None = None,
    form: Form,
) -> None:
    """Compare rankings by raw and by standardized scores.

    The power of paired t tests is compared too. Writes tau.csv, tauAP.csv and r.csv with a row for
    each trial, and power.csv with a row for each level.

    Examples:
    cdfscore experiment within scores.csv --scheme E-std=empirical --out out
    cdfscore experiment within ap.csv --scheme z --size 25 --out out --figures
    cdfscore experiment within ap.csv --scheme z --trials 9999 --out o --resume

    Parameters
    ----------
    size : N
        Number of topics in a trial. Default: all topics, at most 50.
    alpha : LEVEL
        Significance level. May be repeated, in increasing order. Default: 19 levels from 0.001 to
        0.1.
    """
    from cdfscore.experiments import ALPHAS, Within

    subject = asked.of_samples(Within, form, size, tuple(alpha or ALPHAS))
    draws = f"sample(1:{subject.matrices.topics}, {subject.size})"
    asked.carry_out(subject, context.params, draws)


@_experiment
def between(
    context: typer.Context,
    *,
    asked: Asked,
    size: int | None = None,
    alpha: list[float] | None = None,
    form: Form,
) -> None:
    """Compare rankings on two random samples of topics.

    The errors of Welch's t test are counted too. Writes tau.csv, tauAP.csv, r.csv, drmse.csv and
    swap_rate.csv with a row for each trial, and type1.csv (type I errors) and power.csv with a row
    for each level.

    Examples:
    cdfscore experiment between scores.csv --scheme E-std=empirical --out out
    cdfscore experiment between ap.csv --scheme normal --size 25 --out out
    cdfscore experiment between ap.csv --scheme z --alpha 0.01 --out out

    Parameters
    ----------
    size : N
        Number of topics in each of the two samples. Default: half of all topics, at most 50.
    alpha : LEVEL
        Significance level. May be repeated, in increasing order. Default: 19 levels from 0.001 to
        0.1.
    """
    from cdfscore.experiments import ALPHAS, Between

    subject = asked.of_samples(Between, form, size, tuple(alpha or ALPHAS))
    draws = (
        f"sample(1:{subject.matrices.topics}, {2 * subject.size}), the first {subject.size} as one "
        "sample and the others as the other sample"
    )
    asked.carry_out(subject, context.params, draws)


@_experiment
def halves(
    context: typer.Context,
    *,
    asked: Asked,
    other: Annotated[str | None, READ, typer.Option("--with")] = None,
    with_reference: Read = None,
    test: str = "student_t",
    alpha: float = 0.05,
    form: Form,
) -> None:
    """Compare each system with itself on halves of the topics.

    The halves are random. Writes drmse.csv, false_positives.csv, tau.csv, tauAP.csv, r.csv and
    swap_rate.csv with a row for each trial, and summary.csv with means and percentiles. With --with
    it also writes collections.csv, and each collection is standardized by its own systems or
    reference.

    Examples:
    cdfscore experiment halves scores.csv --scheme E-std=empirical --out out
    cdfscore experiment halves ap.csv --scheme normal --test welch_t --out out
    cdfscore experiment halves a.csv --with b.csv --scheme normal --out out

    Parameters
    ----------
    test : TEST
        Test of each system on one half against itself on the other. 'cdfscore tests' lists the
        tests of two independent samples.
    alpha : LEVEL
        Significance level of false positives.

    Another collection
    ------------------
    other : OTHER
        Scores of the same systems on another collection. The topics of both are drawn together, and
        the two collections are compared with the random parts.
    """
    from cdfscore.experiments import Halves, pooled

    if other is None and with_reference is not None:
        raise typer.BadParameter("--with-reference needs --with OTHER")
    if other is not None and (asked.reference is None) != (with_reference is None):
        raise typer.BadParameter(
            "--reference and --with-reference need each other: each collection has its own"
        )
    frames = asked.read(form, other, with_reference)
    matrices = asked.standardized(asked.scores, asked.reference, *frames[:2])
    if other is not None:
        second = asked.standardized(other, with_reference, *frames[2:])
    with concerning(asked.scores, other):
        if other is not None:
            matrices = pooled(matrices, second)
        subject = Halves(matrices, test, alpha, asked.seed)
    say(*matrices.cautions)
    part = "the first collection" if other else "one half"
    draws = f"sample(1:{matrices.topics}, {subject.size}) as {part}, and the others as the other"
    others = {"--with": other, "--with-reference": with_reference}
    asked.carry_out(subject, context.params, draws, others)


@_experiment
def reference_size(
    context: typer.Context,
    *,
    asked: Asked,
    systems: list[int] | None = None,
    held_out: int | None = None,
    size: int | None = None,
    alpha: list[float] | None = None,
    form: Form,
) -> None:
    """Fit schemes to samples of systems; test the others.

    The held-out systems are tested and ranked. With --reference, samples are drawn of the reference
    systems, and all systems of SCORES are ranked. Writes tau.csv, tauAP.csv, power_paired.csv,
    power_unpaired.csv, type1.csv and constant.csv, with rows for each number of reference systems.
    With all topics in one sample, there are no power_unpaired.csv and type1.csv.

    Examples:
    cdfscore experiment reference-size ap.csv --scheme E-std=empirical --out out
    cdfscore experiment reference-size ap.csv --scheme z --held-out 20 --out out
    cdfscore experiment reference-size ap.csv --scheme z --systems 5 --out out

    Parameters
    ----------
    systems : N
        Number of reference systems in a sample. May be repeated, in increasing order. Default: 2,
        5, 10, 20, 50, ... and all systems that are not held out.
    held_out : N
        Number of held-out systems, which are ranked and tested. Default: a quarter of all systems.
        With --reference all systems of SCORES are.
    size : N
        Number of topics in each of the two samples. Default: half of all topics, at most 50; with
        --reference, one sample of all topics.
    alpha : LEVEL
        Significance level. May be repeated, in increasing order. Default: 19 levels from 0.001 to
        0.1.
    """
    from cdfscore.experiments import ALPHAS
    from cdfscore.experiments.designs import ReferenceSize
    from cdfscore.experiments.matrices import refitted

    matrix, others = asked.read(form)
    with concerning(asked.scores, reference=asked.reference):
        subject = ReferenceSize(
            refitted(matrix, asked.schemes, reference=others, **asked.policies),
            tuple(systems) if systems else None,
            held_out,
            size,
            tuple(alpha or ALPHAS),
            asked.seed,
        )
    say(*subject.schemes.cautions)
    draws = f"sample(1:{subject.schemes.sampled.shape[1]})"
    if asked.reference is None:
        draws += f", the last {subject.held_out} as held-out systems"
    if (half := subject.size) is not None:
        topics = f"sample(1:{subject.schemes.topics}, {2 * half})"
        draws = f"{topics}, the first {half} as one half, and {draws}"
    asked.carry_out(subject, context.params, draws)


def make_folder(path: Path) -> Path:
    """Make a folder and its parents; raises `OutputError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"--out {path} cannot be created as a folder: {reason}") from error
    return path


def check_seeds(seed: int, trials: int) -> None:
    """Raise `CdfscoreError` if a trial needs a seed that R does not accept."""
    from cdfscore.stats.r_random import LARGEST_SEED

    if trials >= 1 and not -LARGEST_SEED <= seed <= seed + trials - 1 <= LARGEST_SEED:
        raise CdfscoreError(
            f"--seed {seed} and --trials {trials} need the seeds {seed} to {seed + trials - 1}; "
            f"expected seeds of R, from -{LARGEST_SEED} to {LARGEST_SEED}"
        )


def check_folder(out: Path, kind: str) -> None:
    """Raise `OutputError` if a folder has the results of another kind of experiment."""
    found = kind
    # There is no record, or it is another file.
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        found = json.loads((out / _RECORD).read_text(encoding="utf-8")).get("experiment")
    if found != kind:
        raise OutputError(
            f"--out {out} has the results of {found}; expected another folder for {kind}"
        )


@contextmanager
def _without_traces(out: Path) -> Iterator[None]:
    """After an error, remove the folders that were made and are empty."""
    made = [folder for folder in (out, *out.parents) if not os.path.lexists(folder)]
    try:
        yield
    except CdfscoreError:
        with suppress(OSError):
            made = [*(out / CACHE).iterdir(), out / CACHE, *made]
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


papers = typer.Typer(
    name="reproduce",
    **_GROUP,
    help="Repeat the experiments of published papers.\n\n\b\nExamples:\n"
    "cdfscore reproduce urbano2019 --data urbano2019 --out out\n"
    "cdfscore reproduce webber2008 --data webber2008 --out out",
)


@papers.command(cls=Command)
@with_groups
def urbano2019(
    *,
    data: Path,
    experiment: list[str] | None = None,
    collection: list[str] | None = None,
    measure: list[str] | None = None,
    trials: int | None = None,
    exact_ties: bool = False,
    run: Run,
    figures: bool = False,
) -> None:
    """Repeat the experiments of Urbano, Lima and Hanjalic (2019).

    Writes all files that the authors published.

    Examples:
    cdfscore reproduce urbano2019 --data sigir2019-standardization --out out
    cdfscore reproduce urbano2019 --data data --out out --trials 100 --figures
    cdfscore reproduce urbano2019 --data data --out out --measure ap --resume

    Parameters
    ----------
    data : DIR
        Folder with the data of the papers.
    experiment : NAME
        within or between. Default: both.
    collection : NAME
        robust2004 or terabyte2006. Default: both.
    measure : NAME
        ap or ndcg. Default: both.
    trials : N
        Number of trials of each experiment. Default: 10,000, as published.
    exact_ties
        Rank by exact means of E-std. In the published results, rounding errors break ties.

    Output
    ------
    figures
        Also draw Figures 1 to 3, as SVG and PDF.
    """
    from cdfscore.common.files import write_whole
    from cdfscore.experiments import run_trials
    from cdfscore.experiments.papers.urbano2019 import run as paper
    from cdfscore.experiments.trials import check_trials
    from cdfscore.plots.canvas import Drawing, draw_all, require_matplotlib

    cells = paper.cells(
        experiment or tuple(paper.FOLDERS),
        collection or paper.COLLECTIONS,
        measure or paper.MEASURES,
    )
    trials = paper.TRIALS if trials is None else trials
    check_trials(trials)
    if figures:
        require_matplotlib()
        from cdfscore.experiments.papers.urbano2019.figures import figure_1, figure_2, figure_3
    ties: Ties = "exact" if exact_ties else "rounded"
    names = dict.fromkeys(cell.matrix for cell in cells)
    matrices = {name: paper.matrices(data, name, ties) for name in names}
    experiments = {cell: paper.experiment(cell, matrices[cell.matrix]) for cell in cells}
    out = run.out
    contents: dict[Path, bytes] = {}
    tables: dict[str, dict[str, dict[str, pd.DataFrame]]] = {}
    with run.begun(experiments.values()) as (begin, how):
        for cell, each in experiments.items():
            results = run_trials(each, trials, **how, progress=begin(str(cell.folder)))
            contents |= {out / path: c for path, c in paper.files(cell, each, results).items()}
            tables.setdefault(cell.experiment, {})[cell.matrix] = each.tables(results)
        if figures:
            title = f"{trials:,} trials, {ties} ties"
            schemes = {label: scheme for label, scheme in paper.SCHEMES.items() if label != "raw"}
            drawn_by = {"within": ("figure2", figure_2), "between": ("figure3", figure_3)}
            drawings = [Drawing(*drawn_by[kind], (own, title)) for kind, own in tables.items()]
            drawings += [
                Drawing(f"figure1-{name}", figure_1, (paper.scores(data, name), schemes, name))
                for name in names
            ]
            drawn = draw_all(drawings, run.jobs or threads.cores(), begin("figures"))
            contents |= {out / "figures" / name: content for name, content in drawn.items()}
        for path in contents:
            make_folder(path.parent)
        write_whole(contents)
    note = "; with exact ties, so that E-std differs from the published results" * exact_ties
    say(f"{counted(trials, 'trial')}, {len(contents)} files in {out}{note}")


@papers.command(cls=Command)
@with_groups
def webber2008(
    *,
    data: Path,
    seed: int = 1,
    qrels: Path | None = None,
    run: Run,
) -> None:
    """Repeat the experiments of Webber, Moffat and Zobel (2008).

    Writes Tables 1 to 6, with the printed values beside the computed ones, and Figures 1 to 7.

    Examples:
    cdfscore reproduce webber2008 --data data --out out
    cdfscore reproduce webber2008 --data data --qrels qrels --out out
    cdfscore reproduce webber2008 --data data --out out --jobs 2 --resume

    Parameters
    ----------
    data : DIR
        Folder with the data of the papers.
    seed : N
        Random seed. Sample k, counted from 0, draws as R does after set.seed(N + k).
    qrels : PATH
        Relevance judgments of topics 351 to 450 and 601 to 700: a file as for trec_eval, or a
        folder of such files; other files in it are refused, unless their names begin with a dot.
        Some numbers cannot be computed without them.
    """
    import pandas as pd

    from cdfscore.common.files import write_whole
    from cdfscore.experiments.papers import webber2008 as paper
    from cdfscore.experiments.papers.webber2008.figures import drawings
    from cdfscore.plots.canvas import draw_all, require_matplotlib
    from cdfscore.scores.tables import encode_frame

    require_matplotlib()
    check_seeds(seed, trials=2000)
    collections = paper.read_collections(data, qrels)
    frames = paper.tables(collections)
    experiments = paper.experiments(collections, seed=seed)
    out = run.out
    with run.begun(experiments) as (begin, how):
        drawn = paper.figure_tables(collections, seed=seed, **how, progress=begin("random samples"))
        frames |= drawn
        contents = {out / f"{name}.csv": encode_frame(frame) for name, frame in frames.items()}
        # Small figures: drawing them takes less than starting processes for them.
        files = draw_all(drawings(drawn), 1, begin("figures"))
        contents |= {out / name: content for name, content in files.items()}
        write_whole(contents)
    statuses = pd.concat([frame["status"] for frame in frames.values() if "status" in frame])
    # "needs ..." names data that are not public.
    kinds = statuses.mask(statuses.str.startswith("needs"), "not computable").value_counts()
    told = ", ".join(f"{kind} {number}" for kind, number in kinds.items())
    say(f"{len(contents)} files in {out}; of {len(statuses)} printed numbers: {told}")
