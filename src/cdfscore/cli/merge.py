"""``cdfscore merge``: one run from the ranked lists of several sources."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.inputs import named_file
from cdfscore.cli.merging import Merging
from cdfscore.cli.options import OR_TABLE, with_groups
from cdfscore.cli.paths import check_outputs, check_paths
from cdfscore.cli.terminal import say, show_result, written

if TYPE_CHECKING:
    from cdfscore.merging import Merged
    from cdfscore.report.tables import Captioned

_ENDINGS = (".run", ".txt", ".trec", "")


@with_groups
def merge(
    run: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN",
            help="Run files, one for each source, plain or compressed by gzip or zstd. Use - for "
            "standard input. The run id is the name of the source; NAME=FILE gives it another "
            "name.",
        ),
    ],
    *,
    merging: Merging,
    keep: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of documents to write from the top of each merged list. Default: all.",
        ),
    ] = None,
    run_id: Annotated[str, typer.Option(metavar="ID", help="Run id of the output.")] = "merged",
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help=f"Output file for the merged run: .run, .txt or .trec. {OR_TABLE}",
        ),
    ] = None,
) -> None:
    """Merge ranked lists of several sources into one run.

    A scheme is fitted to the scores of each list and normalizes them. Weights may express how well
    a source fits a topic. Lists are ordered as in trec_eval: by descending score in single
    precision, and equal scores by descending document id.

    Example: cdfscore merge a.run b.run c.run --normalize minmax --depth 100 -o merged.run
    """
    import pyarrow as pa

    from cdfscore.io.atomic import write_whole
    from cdfscore.merging.sources import check_depth
    from cdfscore.trec.given import RunFile

    out = written(out)
    named = [named_file(word) for word in run]
    inputs = {f"RUN {i}": path for i, (_, path) in enumerate(named, start=1)}
    check_paths({**inputs, **merging.paths}, {"--out": out})
    check_outputs({"--out": (out, _ENDINGS)})
    merging.check()
    check_depth("keep", keep)
    # This pool returns unused memory to the system: 100 MB for 6,750,000 documents.
    pa.set_memory_pool(pa.system_memory_pool())
    merged, notes = merging.merged([RunFile(path, name) for name, path in named], keep, run_id)
    if out is None:
        show_result([_table(merged)], "document", count=sum(len(p.document) for p in merged.parts))
    else:
        write_whole({Path(out): merged.encoded()})
    say(*notes, *merged.notes)


def _table(merged: Merged) -> Captioned:
    """Return the documents of the first topics, of the whole run if it is small."""
    from cdfscore.report.tables import Captioned, Column, shown_score

    first = replace(merged, parts=merged.parts[:1]).frame()
    columns = [
        Column("topic", False, list(first["topic"])),
        Column("rank", True, list(map(str, first["rank"]))),
        Column("document", False, list(first["document"])),
        Column("score", True, list(map(shown_score, first["score"]))),
        Column("source", False, list(first["source"])),
    ]
    return Captioned("", "", columns)
