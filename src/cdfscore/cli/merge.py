"""``cdfscore merge``: one run from the ranked lists of several sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdfscore.cli.inputs import named_file
from cdfscore.cli.merging import Merging, with_merging
from cdfscore.cli.paths import check_outputs, check_paths
from cdfscore.cli.terminal import say

_ENDINGS = (".run", ".txt", ".trec", "")


@with_merging
def merge(
    run: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN",
            help="Runs, one of each source, plain or compressed by gzip or zstd; - is standard "
            "input. The run id names the source; NAME=FILE gives it another name.",
        ),
    ],
    *,
    merging: Merging,
    keep: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Documents of each merged list that are written, the first ones; all if not "
            "given.",
        ),
    ] = None,
    run_id: Annotated[str, typer.Option(metavar="ID", help="Run id of the output.")] = "merged",
    out: Annotated[
        str,
        typer.Option("-o", "--out", metavar="OUT", help="The merged run; - is standard output."),
    ] = "-",
) -> None:
    """Merge ranked lists of several sources into one run.

    Scores of a list are normalized by a scheme that is fitted to the list, and may be weighted by
    how well the source fits the topic. Lists are ordered as by trec_eval: by descending score in
    single precision, and equal scores by descending document id.

    Example: cdfscore merge a.run b.run c.run --normalize minmax --depth 100 -o merged.run
    """
    import pyarrow as pa

    from cdfscore.io.atomic import write_whole
    from cdfscore.merging.depths import check_depth
    from cdfscore.trec.given import RunFile

    named = [named_file(word) for word in run]
    inputs = {f"RUN {i}": path for i, (_, path) in enumerate(named, start=1)}
    check_paths({**inputs, **merging.paths}, {"--out": out})
    check_outputs({"--out": (out, _ENDINGS)})
    merging.check()
    check_depth("keep", keep)
    # It gives back what is no longer used: of 6,750,000 documents 100 MB.
    pa.set_memory_pool(pa.system_memory_pool())
    merged, notes = merging.merged([RunFile(path, name) for name, path in named], keep, run_id)
    write_whole({Path(out): merged.encoded()})
    say(*notes, *merged.notes)
