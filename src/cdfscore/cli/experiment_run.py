"""Run an experiment: check the options, run the trials, write the files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.cli.paths import check_paths
from cdfscore.cli.running import CACHE, cores, make_folder, shown_progress
from cdfscore.cli.terminal import say
from cdfscore.errors import CdfscoreError, OutputError
from cdfscore.io.text import counted

if TYPE_CHECKING:
    import pandas as pd

    Tables = dict[str, pd.DataFrame]

#: The file that records the options of the run.
_RECORD = "experiment.json"


class ExperimentRun:
    """The run of an experiment: folder, number of trials, seed and threads."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Take the options of a command, by name."""
        self.options = options
        self.out = Path(options["out"])  # which older versions of Typer leave as text here
        self.trials, self.seed = options["trials"], options["seed"]
        self.dask, self.resume = options["dask"], options["resume"]
        self.jobs = cores(options["jobs"], self.dask)

    def carry_out(
        self,
        experiment: Any,
        inputs: Mapping[str, str | None],
        draws: str,
        figures: bool = False,
    ) -> None:
        """Run all trials, write the files, and say what was done."""
        from cdfscore.experiments import run_trials
        from cdfscore.experiments.engine.cache import not_resumed, remove_cached
        from cdfscore.experiments.engine.executors import executor_for
        from cdfscore.io.atomic import write_whole
        from cdfscore.plots.saving import OF_DRAWINGS

        cache, kind = self.out / CACHE, type(experiment).__name__
        figure = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind).lower()
        check_seeds(self.seed, self.trials)
        check_folder(self.out, kind)
        # One trial shows which files will be written, so that they can be checked early.
        first = experiment.tables(experiment.run(range(1)))
        names = [
            *encoded(first),
            *(f"{figure}{ending}" for ending in OF_DRAWINGS if figures),
            _RECORD,
        ]
        check_paths(inputs, {f"{name} of --out": str(self.out / name) for name in names})
        with _without_traces(self.out):
            with (
                shown_progress() as begin,
                executor_for(self.jobs, self.dask) as executor,
            ):
                make_folder(self.out)
                if self.resume:
                    say(*not_resumed([experiment], cache))
                results = run_trials(
                    experiment,
                    self.trials,
                    executor=executor,
                    cache=cache,
                    resume=self.resume,
                    progress=begin(kind),
                )
            tables = experiment.tables(results)
            contents = encoded(tables) | (_drawn(figure, tables, inputs) if figures else {})
            contents[_RECORD] = _record(experiment, self.options, draws)
            write_whole({self.out / name: content for name, content in contents.items()})
            remove_cached(experiment, cache)
        say(
            f"{counted(self.trials, 'trial')}, {len(contents)} files in {self.out}",
            f"trial k, counted from 0, draws as R does after set.seed({self.seed} + k): {draws}",
        )


def check_seeds(seed: int, trials: int) -> None:
    """Raise `CdfscoreError` if a trial needs a seed that R does not accept."""
    from cdfscore.r_random import LARGEST_SEED

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


def _record(experiment: Any, given: Mapping[str, Any], draws: str) -> bytes:
    """Return what was run as JSON: the options of the command, and digests of the data."""
    from cdfscore._version import __version__
    from cdfscore.experiments.engine.cache import experiment_digest

    options = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in given.items()
        if name not in ("out", "jobs", "dask", "resume", "figures", "plain_labels")
    }
    record = {
        "experiment": type(experiment).__name__,
        "options": options,
        "draws": f"trial k, from 0: set.seed({experiment.seed} + k); {draws}",
        "digest": experiment_digest(experiment),
        "cdfscore": __version__,
    }
    return (json.dumps(record, indent=2) + "\n").encode()


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


def encoded(tables: Tables) -> dict[str, bytes]:
    """Return the tables as CSV files, with every digit."""
    from cdfscore.io.tables import encode_frame

    return {f"{name}.csv": encode_frame(table) for name, table in tables.items()}


def _drawn(name: str, tables: Tables, inputs: Mapping[str, str | None]) -> dict[str, bytes]:
    from cdfscore.plots.experiments import experiment_figure, halves_figure, reference_size_figure
    from cdfscore.plots.saving import Drawing

    others = {"reference_size": reference_size_figure, "halves": halves_figure}
    named = [Path(path).name for key in ("SCORES", "--with") if (path := inputs.get(key))]
    return Drawing(name, others.get(name, experiment_figure), (tables, " and ".join(named))).files()
