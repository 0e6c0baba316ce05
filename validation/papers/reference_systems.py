"""How many reference systems: writes what is measured into docs/reference_systems.md.

``python -m validation.papers.reference_systems`` runs the experiment on the four matrices of
Urbano et al. (2019), 200 seconds of a core, and writes anew what stands between the comments of
the page. A sentence of it that has become wrong ends the run by an assertion.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from cdfscore.experiments import ReferenceSize, refitted, run_trials
from validation.papers import reference_systems_prose as prose
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
BLOCK = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
TRIALS, SEED = 1000, 1


def main() -> None:
    data = Path(os.environ.get("CDFSCORE_DATA", Path(__file__).parents[3] / "shared" / "data"))
    scores = urbano(data)
    found = Found(pd.concat([rows for name in SETTINGS for rows in measure(scores, name)]))
    page = rewritten(PAGE.read_text(encoding="utf-8"), blocks(found))
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
                assert (rows["trials"] == TRIALS).all()
                yield rows.rename(columns=renamed).assign(table=table, matrix=title, setting=name)
            for table in RATES:
                rows = tables[table].melt(["reference_systems", "alpha"], var_name="scheme")
                rows = rows.rename(columns=renamed).assign(statistic="rate")
                yield rows.assign(table=table, matrix=title, setting=name)
            rows = tables["constant"].rename(columns={"constant": "value"})
            yield rows.assign(table="constant", matrix=title, setting=name)


def rewritten(page: str, written: Mapping[str, str]) -> str:
    """Return the page with these blocks, each of which it has once, and no other."""
    names = [match[2] for match in BLOCK.finditer(page)]
    assert sorted(names) == sorted(written), names
    return BLOCK.sub(lambda match: f"{match[1]}\n{written[match[2]]}\n\n{match[3]}", page)


def blocks(found: Found) -> dict[str, str]:
    """Return what stands between the comments of the page."""
    shown = (2, 5, 10, 20)
    halves = found.wide("tau", "halves")
    welch, paired = (found.wide(test, 0.05, "rate") for test in (WELCH, PAIRED))
    tau = found.wide("tau", "disjoint"), found.wide("tau", "disjoint", "p5")
    return {
        "summary": prose.summary(found),
        "commands": "\n".join(["```", *(command(found, name) for name in SETTINGS), "```"]),
        "disjoint": f"{table(*tau, ALL)}\n\n{prose.of_disjoint(found)}",
        "halves": f"{table(halves, None, shown)}\n\n{prose.of_halves(found)}",
        "welch": f"{table(welch, None, shown)}\n\n{prose.of_welch(found)}",
        "paired": f"{table(paired, None, shown)}\n\n{prose.of_paired(found)}",
        "constant": prose.of_constant(found),
    }


def command(found: Found, name: str) -> str:
    """Return the command that runs a setting on all matrices."""
    setting = SETTINGS[name]
    schemes = [
        f"--scheme {label}" if label == spelling else f"--scheme {label}={spelling}"
        for label, spelling in setting.schemes.items()
    ]
    numbers = [f"--systems {m}" for m in setting.sizes]
    matrices = list(MATRICES)
    if setting.and_all:
        numbers.append("--systems ${matrix#*:}")
        matrices = [f"{matrix}:{found.largest[title]}" for matrix, title in MATRICES.items()]
    options = [
        *(" ".join(schemes[i : i + 3]) for i in range(0, len(schemes), 3)),
        *(" ".join(numbers[i : i + 6]) for i in range(0, len(numbers), 6)),
        f"--constant {setting.constant} --trials {TRIALS} --seed {SEED} --figures",
        f"--out out/{name}/${{matrix%:*}}",
    ]
    start = "  cdfscore experiment reference-size data/${matrix%:*}.csv --no-topic-column"
    lines = " \\\n    ".join([start, *options])
    return f"for matrix in {' '.join(matrices)}; do\n{lines}\ndone"


def table(means: pd.DataFrame, low: pd.DataFrame | None, sizes: tuple[int, ...]) -> str:
    """Write a table of a row for each matrix and m; `low` stands in brackets."""
    schemes = [label for label in COLUMNS if low is None or label != "raw"]
    lines = [
        f"| collection | m | {' | '.join(schemes)} |",
        "|---|--:" + "|--:" * len(schemes) + "|",
    ]
    for matrix in MATRICES.values():
        rows = means.loc[matrix]
        for m in rows.index[rows.index.isin(sizes) | (rows.index == rows.index.max())]:
            cells = [
                ""
                if pd.isna(rows.loc[m, label])
                else f"{rows.loc[m, label]:.3f}"
                + ("" if low is None else f" ({low.loc[(matrix, m), label]:.3f})")
                for label in schemes
            ]
            lines.append(f"| {matrix} | {m} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
