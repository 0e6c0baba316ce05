"""How many reference systems: writes what is measured into docs/reference_systems.md.

``python -m validation.papers.reference_systems`` runs the experiment on the four matrices of
Urbano et al. (2019), 200 seconds of a core, and writes anew what stands between the comments of
the page. A sentence of it that has become wrong ends the run by an error that names it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from cdfscore.experiments import ReferenceSize, refitted, run_trials
from validation import pages
from validation.papers import reference_systems_claims as claims
from validation.papers.matrices import urbano
from validation.papers.reference_systems_found import (
    ALL,
    COLUMNS,
    MATRICES,
    PAIRED,
    RATES,
    SETTINGS,
    WELCH,
    Found,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference_systems.md"
TRIALS, SEED = 1000, 1


def main() -> None:
    data = Path(os.environ.get("CDFSCORE_DATA", Path(__file__).parents[3] / "shared" / "data"))
    scores = urbano(data)
    found = Found(pd.concat([rows for name in SETTINGS for rows in measure(scores, name)]))
    page = pages.rewritten(PAGE.read_text(encoding="utf-8"), measured(found))
    PAGE.write_text(page, encoding="utf-8")


def measure(scores: Mapping[str, pd.DataFrame], name: str) -> Iterator[pd.DataFrame]:
    """Run a setting on each matrix, and yield its tables as rows of one number each."""
    setting = SETTINGS[name]
    renamed = {"agreement": "kind", "alpha": "kind"}
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        for matrix, values in scores.items():
            title = MATRICES[matrix]
            schemes = refitted(values, setting.schemes, constant=setting.constant)
            largest = ReferenceSize(schemes).largest
            experiment = ReferenceSize(schemes, setting.sizes_for(largest), seed=SEED)
            tables = experiment.tables(run_trials(experiment, TRIALS, executor=executor))
            for table in ("tau", "tauAP"):
                ids = ["agreement", "reference_systems", "scheme", "trials"]
                rows = tables[table].melt(ids, var_name="statistic")
                yield rows.rename(columns=renamed).assign(table=table, matrix=title, setting=name)
            for table in RATES:
                rows = tables[table].melt(["reference_systems", "alpha"], var_name="scheme")
                rows = rows.rename(columns=renamed).assign(statistic="rate")
                yield rows.assign(table=table, matrix=title, setting=name)
            rows = tables["constant"].rename(columns={"constant": "value"})
            yield rows.assign(table="constant", matrix=title, setting=name)


def measured(found: Found) -> str:
    """Return the blocks of the page, with the comments that they stand between."""
    tops = claims.at_the_top(found)
    return pages.rendered(
        "papers/reference_systems.md.jinja",
        {f"--trials {TRIALS}": (found.rows["trials"].dropna() == TRIALS).all()}
        | claims.page_claims(found),
        found=found,
        matrices=MATRICES,
        settings=SETTINGS,
        schemes=COLUMNS,
        all_sizes=ALL,
        trials=TRIALS,
        seed=SEED,
        WELCH=WELCH,
        PAIRED=PAIRED,
        tops=tops,
        best_at_top=(tops.idxmax(axis=1) == "N-std").sum(),
        errors=found.wide("type1", 0.05, "rate"),
        kernel_above=claims.kernel_above_empirical(found),
        falls=claims.falls(found),
        rows=rows,
        span=span,
    )


def rows(means: pd.DataFrame, sizes: tuple[int, ...]) -> Iterator[tuple[str, int, pd.Series]]:
    """Yield a row for each matrix and m: for these m, and the largest of each matrix."""
    for matrix in MATRICES.values():
        of_matrix = means.loc[matrix]
        for m in of_matrix.index:
            if m in sizes or m == of_matrix.index.max():
                yield matrix, m, of_matrix.loc[m]


def span(*values: pd.Series) -> str:
    together = pd.concat(values)
    return f"{together.min():.3f} to {together.max():.3f}"


if __name__ == "__main__":
    main()
