"""Checks of the options for marginal means of linear models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.cli.spelling import is_typed
from cdfscore.errors import ModelError
from cdfscore.io.tables import DELIMITERS
from cdfscore.io.text import listed

if TYPE_CHECKING:
    import pandas as pd


def check_means(means: Sequence[str] | None, outputs: Mapping[str, str | None]) -> None:
    """Raise `ModelError` for terms without an output file, and for an output file without terms.

    `outputs` has the files by their options.
    """
    if any(path is not None for path in outputs.values()) != bool(means):
        files = " or ".join(f"{option} FILE" for option in outputs)
        raise ModelError(f"--means TERM and {files} need each other; expected both, or neither")


def check_adjust(adjust: str, contrasts: str | None) -> None:
    """Raise `ModelError` for an unknown correction, or a correction without an output file."""
    from cdfscore.models.result import check_adjustment

    if contrasts is None and is_typed("adjust"):
        raise ModelError(
            "--adjust METHOD is for the comparisons in --contrasts FILE; expected both, or no "
            "--adjust"
        )
    check_adjustment(adjust)


def check_drawn(means: Sequence[str] | None, plot: str | None) -> None:
    """Raise `ModelError` for a figure of several terms, or a term with three factors or more."""
    from cdfscore.plots.marginal_means import factors_drawn

    if plot is None or not means:
        return
    if len(means) > 1:
        raise ModelError(
            f"--plot-means FILE draws one term, and --means is given {len(means)} times, as "
            f"{listed(means)}; expected --means TERM once"
        )
    factors_drawn(means[0])


def contents_of_contrasts(path: str | None, compared: Sequence[pd.DataFrame]) -> dict[Path, bytes]:
    """Return the file of comparisons with its content, if it is wanted."""
    import pandas as pd

    from cdfscore.io.tables import encode_frame

    if path is None:
        return {}
    ending = Path(path).suffix.lower()
    return {Path(path): encode_frame(pd.concat(compared), DELIMITERS[ending])}
