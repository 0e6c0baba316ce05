"""``cdfscore correlate``: rank correlation of systems in two score matrices."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.options import (
    ConstantOption,
    MissingOption,
    NoTopicColumnOption,
    SystemsAsRowsOption,
    TopicColumnOption,
    UnfittedOption,
    read,
    standardizer,
)
from cdfscore.cli.paths import check_paths
from cdfscore.errors import OutputError

if TYPE_CHECKING:
    import pandas as pd


def correlate(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="Score matrix, topics x systems, as CSV, TSV or Parquet; - is standard input.",
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(metavar="B", help="Another matrix with the same systems, on any topics."),
    ],
    scheme: Annotated[
        str,
        typer.Option(
            metavar="SCHEME",
            help="Standardize each matrix by itself first; see 'cdfscore schemes'.",
        ),
    ] = "raw",
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="Write all digits, as .csv or .json, and print no table; - is standard output.",
        ),
    ] = None,
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    unfitted: UnfittedOption = "raise",
    topic_column: TopicColumnOption = None,
    no_topic_column: NoTopicColumnOption = False,
    systems_as_rows: SystemsAsRowsOption = False,
) -> None:
    """Correlate the system means of two score matrices: tau, AP correlation, dRMSE.

    Example: cdfscore correlate ap.csv ndcg.csv
    """
    from cdfscore.io.atomic import write_whole
    from cdfscore.rank_correlation.correlation import correlate as correlate_means

    check_paths({"A": a, "B": b}, {"--out": out})
    # An error here does not concern a file.
    how = standardizer(scheme, constant, missing, unfitted)
    frames = [read(path, topic_column, no_topic_column, systems_as_rows) for path in (a, b)]
    found = correlate_means(
        *frames,
        scheme=how,
        names=("standard input" if a == "-" else a, "standard input" if b == "-" else b),
    )
    if out is None:
        _show(found)
    else:
        write_whole({Path(out): _encode(found, Path(out))})


def _encode(found: pd.DataFrame, path: Path) -> bytes:
    from cdfscore.io.tables import encode_frame

    suffix = path.suffix.lower()
    if suffix in (".csv", ""):
        return encode_frame(found)
    if suffix == ".json":
        rows = found.astype(object).where(found.notna(), None).to_dict("records")
        return (json.dumps(rows, indent=1, allow_nan=False) + "\n").encode()
    raise OutputError(f"{path} ends in {path.suffix!r}; expected .csv or .json")


def _show(found: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if sys.stdout is None:  # where the shell has closed it, >&-
        raise OutputError("standard output is closed; expected somewhere to write the table")
    table = Table(box=None, pad_edge=False)
    table.add_column("measure", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("systems", justify="right", no_wrap=True)
    undefined = (found["reason"] != "").any()
    if undefined:
        table.add_column("reason", no_wrap=True)
    for row in found.to_dict("records"):
        cells = [row["measure"], f"{row['value']:.6f}", str(row["systems"])]
        table.add_row(*cells, *([Text(row["reason"])] if undefined else ()))
    Console(width=None if sys.stdout.isatty() else 1000).print(table)
