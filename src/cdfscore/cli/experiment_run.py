"""One experiment as a command runs it: checked first, then run, written and reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.cli.paths import check_paths
from cdfscore.cli.running import KEPT, make_folder, shown_progress
from cdfscore.errors import CdfscoreError

if TYPE_CHECKING:
    import pandas as pd

    Tables = dict[str, pd.DataFrame]

_FIGURES = ("reference_size.svg", "reference_size.pdf")


class ExperimentRun:
    """Where, how often and by what an experiment is run."""

    def __init__(
        self, out: Path, trials: int, seed: int, jobs: int | None, dask: str | None, resume: bool
    ) -> None:
        self.out, self.trials, self.seed = out, trials, seed
        self.jobs, self.dask, self.resume = jobs, dask, resume

    def carry_out(
        self,
        experiment: Any,
        inputs: Sequence[str | None],
        draws: str,
        figures: bool = False,
    ) -> None:
        """Run all trials, write the files, and say what was done."""
        from cdfscore.experiments import run_trials
        from cdfscore.experiments.executors import executor_for
        from cdfscore.experiments.kept import remove_kept
        from cdfscore.files import write_whole

        kept = self.out / KEPT
        # One trial tells, before it takes long, which files there will be, and that they can be.
        first = experiment.tables(experiment.run(range(1)))
        names = [*encoded(first), *(_FIGURES if figures else ())]
        read_from = dict(zip(("SCORES", "--reference"), inputs, strict=True))
        check_paths(read_from, {f"{name} of --out": str(self.out / name) for name in names})
        with _without_traces(self.out):
            with (
                shown_progress() as begin,
                executor_for(self.jobs, self.dask) as executor,
            ):
                make_folder(self.out)
                results = run_trials(
                    experiment,
                    self.trials,
                    executor=executor,
                    kept=kept,
                    resume=self.resume,
                    progress=begin(type(experiment).__name__),
                )
            tables = experiment.tables(results)
            contents = encoded(tables) | (_drawn(tables) if figures else {})
            write_whole({self.out / name: content for name, content in contents.items()})
            remove_kept(experiment, kept)
        print(
            f"cdfscore: {self.trials} trials, {len(contents)} files in {self.out}\n"
            f"cdfscore: trial k, from 0, draws as R does by set.seed({self.seed} + k); "
            f"{draws}",
            file=sys.stderr,
        )


@contextmanager
def _without_traces(out: Path) -> Iterator[None]:
    """After an error, remove the folders that were made and have nothing in them."""
    made = [folder for folder in (out, *out.parents) if not os.path.lexists(folder)]
    try:
        yield
    except CdfscoreError:
        with suppress(OSError):
            made = [*(out / KEPT).iterdir(), out / KEPT, *made]
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def encoded(tables: Tables) -> dict[str, bytes]:
    """Return the tables as CSV files, with every digit."""
    return {
        f"{name}.csv": table.to_csv(index=False, na_rep="NA", lineterminator="\n").encode()
        for name, table in tables.items()
    }


def _drawn(tables: Tables) -> dict[str, bytes]:
    """Return the figure of the tables, in two formats."""
    from cdfscore.plots.reference_size import reference_size_figure
    from cdfscore.plots.saving import encode_figure

    figure = reference_size_figure(tables)
    return {name: encode_figure(figure, Path(name)) for name in _FIGURES}
