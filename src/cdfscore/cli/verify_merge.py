"""``cdfscore verify --merge``: the merging of lists in R, and its differences from Python."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from cdfscore.cli.inputs import named_file
from cdfscore.cli.merging import Merging, with_merging
from cdfscore.cli.paths import check_paths
from cdfscore.cli.spelling import Command, typed_names
from cdfscore.cli.terminal import say
from cdfscore.errors import CdfscoreError

if TYPE_CHECKING:
    import pandas as pd


def compared_merging(words: Sequence[str], options: str) -> pd.DataFrame:
    """Merge runs by these options of `merge`, in Python and in R, and return the differences.

    Raises `CdfscoreError` for another option of `verify`, and for ``--lambda cv``, which R does not
    compute.
    """
    from cdfscore.r.merged import verify_merge
    from cdfscore.trec.given import RunFile

    others = typed_names() - {"scores", "merge"}
    if others:
        name = sorted(others)[0].replace("_", "-")
        raise CdfscoreError(
            f"--{name} is not accepted with --merge; expected only options of 'merge', in the "
            "value of --merge"
        )
    named = [named_file(word) for word in words]
    merging = parsed_merging(options)
    inputs = {f"SCORES, file {i}": path for i, (_, path) in enumerate(named, start=1)}
    check_paths({**inputs, **merging.paths}, {})
    runs = [RunFile(path, name) for name, path in named]
    found = verify_merge(runs, merging.method, **merging.settings, **merging.weighted_by())
    say(*found.attrs["notes"])
    return found


def parsed_merging(options: str) -> Merging:
    """Parse options of `merge`, after checks."""
    found: list[Merging] = []

    @with_merging
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
