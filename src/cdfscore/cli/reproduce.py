"""``cdfscore reproduce``: experiments of published papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cdfscore.cli.experiment import Run, check_seeds, encoded, make_folder
from cdfscore.cli.options import Command, Group, with_groups
from cdfscore.cli.terminal import say
from cdfscore.common import threads
from cdfscore.common.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.experiments.matrices import Ties
    from cdfscore.plots.canvas import Drawing

app = typer.Typer(
    name="reproduce",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Repeat the experiments of published papers.",
)


@app.command(cls=Command)
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
    from cdfscore.plots.canvas import draw_all, require_matplotlib

    cells = paper.cells(
        experiment or tuple(paper.FOLDERS),
        collection or paper.COLLECTIONS,
        measure or paper.MEASURES,
    )
    trials = paper.TRIALS if trials is None else trials
    check_trials(trials)
    if figures:
        require_matplotlib()
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
            drawings = _drawings(
                {name: paper.scores(data, name) for name in names},
                tables,
                f"{trials:,} trials, {ties} ties",
            )
            drawn = draw_all(drawings, run.jobs or threads.cores(), begin("figures"))
            contents |= {out / "figures" / name: content for name, content in drawn.items()}
        for path in contents:
            make_folder(path.parent)
        write_whole(contents)
    note = "; with exact ties, so that E-std differs from the published results" * exact_ties
    say(f"{counted(trials, 'trial')}, {len(contents)} files in {out}{note}")


def _drawings(
    scores: dict[str, pd.DataFrame],
    tables: dict[str, dict[str, dict[str, pd.DataFrame]]],
    title: str,
) -> list[Drawing]:
    from cdfscore.experiments.papers.urbano2019.figures import figure_1, figure_2, figure_3
    from cdfscore.experiments.papers.urbano2019.run import SCHEMES
    from cdfscore.plots.canvas import Drawing

    schemes = {label: scheme for label, scheme in SCHEMES.items() if label != "raw"}
    results = {"within": ("figure2", figure_2), "between": ("figure3", figure_3)}
    return [
        *(Drawing(*results[experiment], (found, title)) for experiment, found in tables.items()),
        *(Drawing(f"figure1-{n}", figure_1, (frame, schemes, n)) for n, frame in scores.items()),
    ]


@app.command(cls=Command)
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
    from cdfscore.common.files import write_whole
    from cdfscore.experiments.papers import webber2008 as paper
    from cdfscore.experiments.papers.webber2008.figures import drawings
    from cdfscore.plots.canvas import draw_all, require_matplotlib

    require_matplotlib()
    check_seeds(seed, trials=2000)
    collections = paper.read_collections(data, qrels)
    frames = paper.tables(collections)
    experiments = paper.experiments(collections, seed=seed)
    out = run.out
    with run.begun(experiments) as (begin, how):
        drawn = paper.figure_tables(collections, seed=seed, **how, progress=begin("random samples"))
        frames |= drawn
        contents = {out / name: content for name, content in encoded(frames).items()}
        # Small figures: drawing them takes less than starting processes for them.
        files = draw_all(drawings(drawn), 1, begin("figures"))
        contents |= {out / name: content for name, content in files.items()}
        write_whole(contents)
    say(f"{len(contents)} files in {out}{_agreement(frames)}")


def _agreement(frames: dict[str, pd.DataFrame]) -> str:
    """Count the printed numbers by status; "needs ..." names data that are not public."""
    import pandas as pd

    statuses = pd.concat([frame["status"] for frame in frames.values() if "status" in frame])
    kinds = statuses.mask(statuses.str.startswith("needs"), "not computable").value_counts()
    listed = ", ".join(f"{kind} {number}" for kind, number in kinds.items())
    return f"; of {len(statuses)} printed numbers: {listed}"
